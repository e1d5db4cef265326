// SPDX-License-Identifier: BSD-3-Clause
//
// Study: an associative Markov network on a grid. Maps of water, fields and forest are observed
// with noise. The looks of each kind of land, and how rarely neighbours differ, are learned from
// four maps. A new map is labelled by graph cuts: by expansion moves for three kinds of land, and
// by one cut, which is exact, for two. (Cuts require that differing neighbours are not rewarded.)
#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>
#include <slackline/inference/alpha_expansion.h>
#include <slackline/learning/train_loop.h>

using namespace slackline::internal;
constexpr Index kMaps = 4, kCols = 44;

// Discs of land of all kinds on a ground of kind 0.
std::vector<Index> Draw(Random& random, Index rows, Index cols, Index kinds) {
  std::vector<Index> map(rows * cols, 0);
  for (Index disc = 0; disc < rows * cols / 14; ++disc) {
    const double r = random.Uniform() * rows, c = random.Uniform() * cols,
                 size = 1.5 + 2.5 * random.Uniform();
    const auto kind = static_cast<Index>(random.Below(static_cast<std::uint64_t>(kinds)));
    for (Index k = 0; k < rows * cols; ++k) {
      const double dr = k / cols - r, dc = k % cols - c;
      if (dr * dr + dc * dc < size * size) map[k] = kind;
    }
  }
  return map;
}

void TrainAndLabel(Index kinds) {
  auto layout = std::make_shared<WeightLayout>();
  const Index look = layout->AddBlock("look", kinds, 3);  // two colours and a constant
  const Index differ = layout->AddBlock("differ", 2);     // neighbours in a row, in a column
  const PottsFactor potts(kinds);
  auto colours = std::make_shared<FeatureRows>();
  Dataset train(layout, colours), test(layout, colours);
  Random random(5);
  for (Index m = 0; m <= kMaps; ++m) {
    const Index rows = m < kMaps ? 12 : 16, cols = m < kMaps ? 12 : kCols;
    const std::vector<Index> map = Draw(random, rows, cols, kinds);
    ModelBuilder builder(layout);
    for (Index k = 0; k < rows * cols; ++k)
      builder.AddLinearFeatures(builder.AddVariable(kinds), look, k);
    for (Index k = 0; k < rows * cols; ++k) {
      if (k % cols + 1 < cols) builder.AddFactor({k, k + 1}, potts, differ, 0);
      if (k + cols < rows * cols) builder.AddFactor({k, k + cols}, potts, differ, 1);
    }
    const Index first = colours->size();
    constexpr std::array<std::array<double, 2>, 3> kColours = {{{0, 0}, {1, 0.2}, {0.4, 1}}};
    for (const Index kind : map) {
      const auto& own = kColours[kind];
      colours->AddDense(
          std::array{own[0] + 0.7 * random.Normal(), own[1] + 0.7 * random.Normal(), 1.0});
    }
    (m < kMaps ? train : test).Add(builder.Build(), map, first);
  }
  TrainOptions options;
  options.gap_tolerance =
      1e-5;  // with a wider gap several maps would do, and the choice may depend on the compiler
  const TrainSummary result = Train(Problem(MakeTrainingSet(train, {}), 0.01), options);
  const auto& structure = test.structures()[0];
  std::vector<double> scores(structure->graph().total_states());
  ScoreTables(test.example(0), result.weights, scores);
  MapResult cut;
  MakeExpansionSolver(structure->shared_graph())->Solve(scores, nullptr, &cut);
  Index right = 0;
  for (std::size_t k = 0; k < cut.labels.size(); ++k) {
    right += cut.labels[k] == test.example(0).labels()[k];
    std::cout << "~ %"[cut.labels[k]] << (k % kCols + 1 == kCols ? "|\n" : "");
  }
  std::cout << kinds << " kinds of land: " << Name(result.termination) << ", " << right << " of "
            << cut.labels.size() << " places right"
            << (cut.exact ? ", the best map there is\n" : "\n");
}

int main() { return TrainAndLabel(2), TrainAndLabel(3), 0; }
