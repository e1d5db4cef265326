// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/sampling.h>
#include <tests/support/never.h>
#include <tests/support/states.h>

#include <algorithm>
#include <atomic>
#include <cmath>
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

TrainOptions Ordered(OrderKind order) { return {.order = order, .seed = 7}; }

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
  visits->Pass(kNever, [&](Index m) { seen.push_back(m); });
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

TEST_CASE("draws with replacement are uniform, and independent of each other") {
  const Dataset data = Examples();
  ExampleVisits visits(Ordered(OrderKind::kUniform), data);
  constexpr int kPasses = 2000;
  std::vector<double> counts(kSize, 0.0);
  double repeats = 0;  // of the example drawn before
  Index before = -1;
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::vector<Index> seen = Pass(&visits);
    REQUIRE(seen.size() == kSize);
    for (const Index m : seen) {
      ++counts[m];
      repeats += m == before;
      before = m;
    }
  }
  // Five standard deviations of numbers of mean kPasses.
  const double room = 5 * std::sqrt(static_cast<double>(kPasses));
  for (const double count : counts) CHECK(std::abs(count - kPasses) <= room);
  CHECK(std::abs(repeats - kPasses) <= room);
}

TEST_CASE("cyclic passes are in the order of the data, with and without windows") {
  for (const Dataset& data : {Examples(), Examples({7, 20, kSize})}) {
    ExampleVisits visits(Ordered(OrderKind::kCyclic), data);
    for (int pass = 0; pass < 3; ++pass) {
      const std::vector<Index> seen = Pass(&visits);
      REQUIRE(seen.size() == kSize);
      for (Index m = 0; m < kSize; ++m) CHECK(seen[m] == m);
    }
  }
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

TEST_CASE("examples of some windows follow each other; other windows are together in every pass") {
  std::vector<Index> ends;  // 40 windows of one or two examples
  for (Index m = 1; m < kSize; ++m) {
    if (m % 5 > 0 || m > kSize - 5) ends.push_back(m);
  }
  ends.push_back(kSize);
  const auto window = [&](Index m) {
    return Size(std::upper_bound(ends.begin(), ends.end(), m) - ends.begin());
  };
  REQUIRE(ends.size() > 2 * kWindowsTogether);
  const Dataset data = Examples(ends);
  ExampleVisits visits(Ordered(OrderKind::kExample), data);
  std::set<std::set<std::size_t>> first_groups;
  for (int pass = 0; pass < 20; ++pass) {
    const std::vector<Index> seen = Pass(&visits);
    REQUIRE(std::set<Index>(seen.begin(), seen.end()).size() == kSize);
    // Every group has kWindowsTogether windows, all examples of which it has.
    std::size_t k = 0;
    for (std::size_t group = 0; group * kWindowsTogether < ends.size(); ++group) {
      std::set<std::size_t> windows;
      std::size_t examples = 0;
      for (; k < seen.size(); ++k, ++examples) {
        if (windows.size() == kWindowsTogether && windows.count(window(seen[k])) == 0) break;
        windows.insert(window(seen[k]));
      }
      std::size_t expected = 0;
      for (const std::size_t w : windows) expected += Size(ends[w] - (w == 0 ? 0 : ends[w - 1]));
      CHECK(examples == expected);
      if (group == 0) first_groups.insert(windows);
    }
    CHECK(k == kSize);
  }
  CHECK(first_groups.size() == 20);
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
    for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform, OrderKind::kCyclic}) {
      ExampleVisits visits(Ordered(order), data);
      Pass(&visits);
      const std::string saved = StateOf(visits);
      ExampleVisits loaded(Ordered(order), data);
      LoadAll(saved, loaded);
      CHECK(Pass(&loaded) == Pass(&visits));
    }
}
