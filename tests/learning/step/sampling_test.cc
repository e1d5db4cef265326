// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/sampling.h>
#include <tests/support/states.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/dataset.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/structure.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kSize = 50;
const StopControl kNoStop(nullptr, 0);

TrainOptions Ordered(OrderKind order) {
  TrainOptions options;
  options.order = order;
  options.seed = 7;
  return options;
}

/// Examples with an input each.
Dataset Examples(std::vector<Index> window_ends = {}) {
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("x", 2, 1);
  auto rows = std::make_shared<FeatureRows>();
  for (Index m = 0; m < kSize; ++m) rows->AddDense(std::vector<double>{1.0});
  rows->SetWindows(std::move(window_ends));
  FactorGraphBuilder graph;
  graph.AddVariable(2);
  StructureBuilder builder(graph.Build(), layout);
  builder.AddLinear(0, block, 0, builder.AddStateMap({{0, 1}, {}}), 0);
  const auto structure = builder.Build();
  Dataset data(layout, rows);
  for (Index m = 0; m < kSize; ++m) data.Add(structure, std::vector<Index>{0}, m);
  return data;
}

std::vector<Index> Pass(ExampleVisits* visits) {
  std::vector<Index> seen;
  visits->Pass(kNoStop, [&](Index m) { seen.push_back(m); });
  return seen;
}

}  // namespace

TEST_CASE("a pass visits every example once, in another order each time") {
  const Dataset data = Examples();
  ExampleVisits visits(Ordered(OrderKind::kExample), data);
  const std::vector<Index> first = Pass(&visits);
  std::vector<Index> second = Pass(&visits);
  CHECK(first != second);
  std::sort(second.begin(), second.end());
  for (Index m = 0; m < kSize; ++m) CHECK(second[m] == m);
}

TEST_CASE("a uniform pass draws with replacement") {
  const Dataset data = Examples();
  ExampleVisits visits(Ordered(OrderKind::kUniform), data);
  std::vector<Index> seen = Pass(&visits);
  CHECK(seen.size() == kSize);
  std::sort(seen.begin(), seen.end());
  CHECK(seen.front() >= 0);
  CHECK(seen.back() < kSize);
  CHECK(std::adjacent_find(seen.begin(), seen.end()) != seen.end());
}

TEST_CASE("a pass ends after the visit during which it is stopped") {
  const std::atomic<int> interrupt{1};
  const StopControl stop(&interrupt, 0);
  const Dataset data = Examples();
  ExampleVisits visits(Ordered(OrderKind::kExample), data);
  int count = 0;
  visits.Pass(stop, [&](Index) { ++count; });
  CHECK(count == 1);
}

TEST_CASE("examples of a window follow each other, in orders of their own") {
  const std::vector<Index> ends = {7, 20, 21, kSize};
  const Dataset data = Examples(ends);
  ExampleVisits visits(Ordered(OrderKind::kExample), data);
  std::set<std::vector<std::size_t>> orders_of_windows;
  for (int pass = 0; pass < 20; ++pass) {
    const std::vector<Index> seen = Pass(&visits);
    REQUIRE(seen.size() == kSize);
    std::vector<std::size_t> windows;
    for (const Index m : seen) {
      const std::size_t window = Size(std::upper_bound(ends.begin(), ends.end(), m) - ends.begin());
      if (windows.empty() || windows.back() != window) windows.push_back(window);
    }
    CHECK(windows.size() == ends.size());
    CHECK(!std::is_sorted(seen.begin(), seen.end()));
    orders_of_windows.insert(windows);
    CHECK(std::set<Index>(seen.begin(), seen.end()).size() == kSize);
  }
  CHECK(orders_of_windows.size() > 3);
}

TEST_CASE("one window changes nothing") {
  const Dataset plain = Examples();
  const Dataset window = Examples({kSize});
  ExampleVisits a(Ordered(OrderKind::kExample), plain);
  ExampleVisits b(Ordered(OrderKind::kExample), window);
  for (int pass = 0; pass < 3; ++pass) CHECK(Pass(&a) == Pass(&b));
}

TEST_CASE("saved visits continue like uninterrupted ones") {
  for (const Dataset& data : {Examples(), Examples({7, 20, kSize})})
    for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
      ExampleVisits visits(Ordered(order), data);
      Pass(&visits);
      StateWriter writer;
      SaveState(visits, &writer);
      ExampleVisits loaded(Ordered(order), data);
      StateReader reader(writer.bytes());
      LoadState(loaded, &reader);
      reader.Finish();
      CHECK(Pass(&loaded) == Pass(&visits));
    }
}
