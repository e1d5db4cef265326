// SPDX-License-Identifier: BSD-3-Clause
#include "src/python_ranks.h"

#include <numeric>
#include <utility>

namespace slackline::python {
namespace {

/// What views of no bytes point at.
std::byte nothing[1];

py::memoryview ViewOf(std::span<const std::byte> bytes) {
  return py::memoryview::from_memory(bytes.empty() ? nothing : bytes.data(),
                                     static_cast<py::ssize_t>(bytes.size()));
}

py::memoryview ViewOf(std::span<std::byte> bytes) {
  return py::memoryview::from_memory(static_cast<void*>(bytes.empty() ? nothing : bytes.data()),
                                     static_cast<py::ssize_t>(bytes.size()));
}

template <class Spans>
py::list ViewsOf(const Spans& spans) {
  py::list views;
  for (const auto& span : spans) views.append(ViewOf(span));
  return views;
}

}  // namespace

PythonRanks::PythonRanks(py::object team)
    : team_(std::move(team)),
      size_(team_.attr("size").cast<int>()),
      rank_(team_.attr("rank").cast<int>()),
      on_this_machine_(team_.attr("on_this_machine").cast<int>()) {
  internal::ShareProcessors(on_this_machine_);
}

void PythonRanks::GatherBytes(std::span<const std::byte> mine, std::span<const std::size_t> lengths,
                              std::byte* all) {
  const std::size_t total = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});
  if (total == 0) return;
  const py::gil_scoped_acquire gil;
  py::list sizes;
  for (const std::size_t length : lengths) sizes.append(length);
  team_.attr("gather_bytes")(ViewOf(mine), sizes, ViewOf(std::span(all, total)));
}

void PythonRanks::ExchangeBytes(std::span<const std::span<const std::byte>> to,
                                std::span<const std::span<std::byte>> from) {
  const py::gil_scoped_acquire gil;
  team_.attr("exchange_bytes")(ViewsOf(to), ViewsOf(from));
}

void PythonRanks::Broadcast(std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  const py::gil_scoped_acquire gil;
  team_.attr("broadcast_bytes")(ViewOf(bytes));
}

void CheckSignals(internal::Ranks& ranks) {
  OnAllProcesses(ranks, [] {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  });
}

}  // namespace slackline::python
