// SPDX-License-Identifier: BSD-3-Clause
//
// Sweeps over the inputs of large examples give the same numbers, bit for bit, for any number of
// threads.
#include <slackline/core/slot_sweeps.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/random.h>
#include <tests/support/tolerances.h>
#include <tests/support/vectors.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kStates = 21;
constexpr Index kFeatures = 700;       // of the first block
constexpr Index kFewerFeatures = 450;  // of the second

/// Whether the inputs of consecutive variables are dense or sparse.
enum class Inputs { kDense, kSparse, kMixed };

std::vector<double> NormalNumbers(Random* random, std::size_t count) {
  std::vector<double> values = Normals(*random, count);
  return values;
}

void AddInput(Random* random, Inputs kind, Index variable, Index features, FeatureRows* rows) {
  if (kind == Inputs::kMixed) kind = variable % 11 == 4 ? Inputs::kSparse : Inputs::kDense;
  if (kind == Inputs::kSparse) {
    std::vector<Index> columns;
    for (Index f = 0; f < features; ++f) {
      if (random->Below(4) != 0) columns.push_back(f);
    }
    rows->AddSparse(columns, NormalNumbers(random, columns.size()));
    return;
  }
  rows->AddDense(NormalNumbers(random, features));
}

/// One example of 60 variables without factors: 40 variables use one weight block, then 20 the
/// other.
Dataset LargeExample(Random* random, Inputs kind) {
  constexpr Index kVariables = 60;
  FactorGraphBuilder graph;
  graph.AddVariables(kVariables, kStates);
  auto layout = std::make_shared<WeightLayout>();
  const Index first = layout->AddBlock("first", kStates, kFeatures);
  const Index second = layout->AddBlock("second", kStates, kFewerFeatures);
  StructureBuilder builder(graph.Build(), layout);
  StateMap map;
  map.rows.resize(kStates);
  std::iota(map.rows.begin(), map.rows.end(), 0);
  const Index all = builder.AddStateMap(map);
  auto rows = std::make_shared<FeatureRows>();
  for (Index i = 0; i < kVariables; ++i) {
    builder.AddLinear(i, i < 40 ? first : second, i, all);
    AddInput(random, kind, i, i < 40 ? kFeatures : kFewerFeatures, rows.get());
  }
  Dataset data(layout, rows);
  data.Add(builder.Build(), std::vector<Index>(kVariables, 0), 0, {});
  return data;
}

}  // namespace

TEST_CASE("sweeps do not depend on the number of threads") {
  Random random(17);
  for (const Inputs kind : {Inputs::kDense, Inputs::kSparse, Inputs::kMixed}) {
    CAPTURE(static_cast<int>(kind));
    const Dataset data = LargeExample(&random, kind);
    const ExampleView example = data.example(0);
    REQUIRE(ThreadsShareSweeps(example, 2));
    CHECK_FALSE(ThreadsShareSweeps(example, 1));
    const std::size_t coordinates = example.structure().num_coordinates();
    const std::vector<double> weights = NormalNumbers(&random, data.layout().size());
    std::vector<double> all = NormalNumbers(&random, coordinates);
    std::vector<double> few(coordinates, 0.0);  // two variables: too few for several threads
    std::copy_n(all.begin() + kStates, 2 * kStates, few.begin() + kStates);
    std::fill_n(all.begin() + 7 * kStates, 3 * kStates, 0.0);

    std::vector<double> scores(coordinates);
    const Offset work = SlotScores(example, weights, scores);
    for (const std::vector<double>& q : {all, few}) {
      std::vector<double> moved = weights;
      const Offset moves = AddSlots(example, q, moved);
      std::vector<double> change = moved;
      for (std::size_t k = 0; k < change.size(); ++k) change[k] -= weights[k];
      // Σ_k u_k(w) q_k: the product of w with the contribution of q to the weights.
      CHECK(Near(Dot(change, weights), Dot(q, scores), 1000 * kExact));
      for (const int threads : {2, 3, 7, 64}) {
        std::vector<double> by_threads(coordinates, -1);
        CHECK(SlotScores(example, weights, by_threads, threads) == work);
        CHECK(by_threads == scores);
        std::vector<double> moved_by_threads = weights;
        CHECK(AddSlots(example, q, moved_by_threads, threads) == moves);
        CHECK(moved_by_threads == moved);
      }
    }
  }
}
