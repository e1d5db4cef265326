// SPDX-License-Identifier: BSD-3-Clause
//
// Which rows are asked for, and when.
#include <slackline/learning/step/window_ahead.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/structure.h>

using namespace slackline::internal;

namespace {

constexpr Index kWindow = 160;  // examples that are visited together
constexpr Index kWindows = 3;

/// An example for each row.
Dataset ExamplesOf(const std::shared_ptr<const FeatureRows>& rows) {
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("x", 2, rows->dimension());
  FactorGraphBuilder graph;
  graph.AddVariable(2);
  StructureBuilder builder(graph.Build(), layout);
  builder.AddLinear(0, block, 0, builder.AddStateMap({{0, 1}, {}}), 0);
  const auto structure = builder.Build();
  Dataset data(layout, rows);
  for (Index m = 0; m < rows->size(); ++m) data.Add(structure, std::vector<Index>{0}, m);
  return data;
}

Dataset WindowExamples(bool windows) {
  auto rows = std::make_shared<FeatureRows>();
  for (Index m = 0; m < kWindows * kWindow; ++m) rows->AddDense(std::vector<double>{1.0});
  std::vector<Index> ends;
  for (Index end = 10; end <= kWindows * kWindow; end += 10) ends.push_back(end);
  static_assert(kWindow == 10 * kWindowsTogether);
  if (windows) rows->SetWindows(ends);
  return ExamplesOf(rows);
}

/// The groups of windows 1, 2, 0, each from its end; only every step-th example.
std::vector<Index> Order(Index step) {
  std::vector<Index> order;
  for (const Index w : {1, 2, 0}) {
    for (Index k = kWindow - 1; k >= 0; k -= step) order.push_back(w * kWindow + k);
  }
  return order;
}

}  // namespace

TEST_CASE("a window has been asked for before its first visit, and the next one after its last") {
  const Dataset data = WindowExamples(true);
  WindowAhead ahead(data);
  for (const Index step : {1, 5, 10}) {  // again from the beginning
    CAPTURE(step);
    const std::vector<Index> order = Order(step);
    const std::size_t window = order.size() / kWindows;
    for (std::size_t k = 0; k < order.size(); ++k) {
      ahead.Before(order, k);
      const std::size_t visited = k / window;
      CHECK(ahead.asked() >= (visited + 1) * window);
      CHECK(ahead.asked() <= std::min(order.size(), (visited + 2) * window));
      // Requests keep pace with the visits, also in windows of few examples.
      const std::size_t share = visited + 1 < kWindows ? k % window : 0;
      CHECK(ahead.asked() + std::min<std::size_t>(32, window / 16 + 1) >
            (visited + 1) * window + share);
    }
    CHECK(ahead.asked() == order.size());
  }
}

TEST_CASE("a pass that ends early is followed by one from the beginning") {
  const Dataset data = WindowExamples(true);
  WindowAhead ahead(data);
  const std::vector<Index> order = Order(1);
  for (std::size_t k = 0; k < 200; ++k) ahead.Before(order, k);
  ahead.Before(order, 0);
  CHECK(ahead.asked() == kWindow);
  const std::vector<Index> one = {5};
  ahead.Before(one, 0);
  CHECK(ahead.asked() == 1);
}

TEST_CASE("sweeps read some megabytes ahead, not a number of examples") {
  CHECK(WindowExamples(false).ExamplesAhead() == 64);
  std::vector<double> values(500000);
  auto rows = std::make_shared<FeatureRows>();
  for (int m = 0; m < 4; ++m) {
    values[0] = m;  // else rows share their values
    rows->AddDense(values);
  }
  const Index ahead = ExamplesOf(rows).ExamplesAhead();
  CHECK(ahead >= 2);
  CHECK(ahead <= 6);
}

TEST_CASE("without windows nothing is asked for") {
  const Dataset data = WindowExamples(false);
  WindowAhead ahead(data);
  const std::vector<Index> order = Order(1);
  for (std::size_t k = 0; k < order.size(); ++k) ahead.Before(order, k);
  CHECK(ahead.asked() == 0);
}
