// SPDX-License-Identifier: BSD-3-Clause
//
// Processes that train together under mpi4py. The extension module itself does not use MPI: it
// calls a Python object that does.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <exception>
#include <span>
#include <string>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/ranks.h>

namespace slackline::python {

namespace py = pybind11;

/// The ranks of a slackline._ranks.Team. Its functions take the GIL while they call the team, and
/// pass on the exceptions that the team raises.
class PythonRanks final : public internal::Ranks {
 public:
  /// Requires the GIL, also to destroy the object. While it lives, "all threads" are the threads of
  /// this process's part of the machine (core/parallel.h).
  explicit PythonRanks(py::object team);
  ~PythonRanks() override { internal::ShareProcessors(1); }

  int size() const override { return size_; }
  int rank() const override { return rank_; }
  int ranks_on_this_machine() const override { return on_this_machine_; }
  void GatherBytes(std::span<const std::byte> mine, std::span<const std::size_t> lengths,
                   std::byte* all) override;
  void ExchangeBytes(std::span<const std::span<const std::byte>> to,
                     std::span<const std::span<std::byte>> from) override;
  void Broadcast(std::span<std::byte> bytes) override;

 private:
  py::object team_;
  int size_;
  int rank_;
  int on_this_machine_;
};

/// Calls work(), which may throw on some of the processes that train together. All of them then
/// throw a DataError that names the first such process ("rank 2: X contains …"). But an exception
/// that Python has raised, such as KeyboardInterrupt, stays itself on its own process. work must
/// not call functions of `ranks`. With or without the GIL.
template <class Work>
void OnAllProcesses(internal::Ranks& ranks, const Work& work) {
  if (ranks.alone()) {
    work();
    return;
  }
  std::string error;
  std::exception_ptr raised;
  try {
    work();
  } catch (const py::error_already_set& caught) {
    raised = std::current_exception();
    error = caught.what();
  } catch (const std::exception& caught) {
    error = caught.what();
  }
  if (raised || !error.empty()) error = "rank " + std::to_string(ranks.rank()) + ": " + error;
  try {
    internal::ThrowFirstError(ranks, error);
  } catch (const internal::DataError&) {
    if (raised) std::rethrow_exception(raised);
    throw;
  }
}

/// Raises on all processes what Python's signal handlers raise on one, such as KeyboardInterrupt.
/// Requires the GIL.
void CheckSignals(internal::Ranks& ranks);

}  // namespace slackline::python
