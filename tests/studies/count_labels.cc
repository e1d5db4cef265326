// SPDX-License-Identifier: BSD-3-Clause
//
// Study: a factor over all variables at once. Photographs have three or four of 24 tags. The looks
// of a photograph say little about each tag, but the number of tags helps: the model has a weight
// per number of tags, on a factor over all 24 variables. The table of this factor would have 16
// million entries; its maximum needs only a sort.
#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/inference/global_decoder.h>
#include <slackline/learning/train_loop.h>

using namespace slackline::internal;

constexpr Index kTags = 24, kLooks = 12, kTrain = 150, kTest = 100;

// Trains with or without the factor, and counts the correct tags of new photographs.
void TrainAndTest(bool counted) {
  auto layout = std::make_shared<WeightLayout>();
  const Index meaning = layout->AddBlock("meaning", kTags, kLooks + 1);
  const Index together = layout->AddBlock("together", kTags);
  const Index number = layout->AddBlock("number", kTags + 1);
  const TableFactor both({2, 2}, 1, StateMap{{kAbsent, kAbsent, kAbsent, 0}, {}});
  ModelBuilder builder(layout);
  std::vector<Index> all;
  for (Index i = 0; i < kTags; ++i) {
    all.push_back(builder.AddVariable(2));
    builder.AddLinearFeatures(i, meaning, 0, std::array{kAbsent, i});
    if (i > 0) builder.AddFactor({i - 1, i}, both, together, i);
  }
  if (counted) builder.AddGlobalFactor(all, std::make_shared<CardinalityFactor>(kTags), number);
  const auto structure = builder.Build();

  // A photograph has the three or four tags that fit its looks best, by weights unknown to
  // training.
  Random random(11);
  std::vector<std::vector<double>> truth(kTags, std::vector<double>(kLooks));
  for (auto& row : truth) std::ranges::generate(row, [&] { return random.Normal(); });
  auto looks = std::make_shared<FeatureRows>();
  std::vector<std::vector<Index>> tags(kTrain + kTest);
  for (auto& own : tags) {
    std::vector<double> x(kLooks), fit;
    std::ranges::generate(x, [&] { return random.Normal(); });
    for (const auto& row : truth)
      fit.push_back(std::inner_product(x.begin(), x.end(), row.begin(), 0.5 * random.Normal()));
    std::vector<double> sorted = fit;
    std::ranges::sort(sorted, std::greater{});
    const std::size_t least = 2 + random.Below(2);
    for (const double value : fit) own.push_back(value >= sorted[least]);
    x.push_back(1);
    looks->AddDense(x);
  }
  Dataset shown(layout, looks), photographs(layout, looks);
  for (Index m = 0; m < kTrain; ++m) shown.Add(structure, tags[m], m);
  for (Index m = kTrain; m < kTrain + kTest; ++m) photographs.Add(structure, tags[m], m);

  TrainOptions options;
  options.gap_tolerance = 1e-4;
  const TrainSummary result = Train(Problem(MakeTrainingSet(shown, {}), 0.02), options);
  Index right = 0;
  GlobalDecoder decoder(structure);
  for (Index m = 0; m < kTest; ++m) {
    MapResult best;
    decoder.Decode(photographs.example(m), result.weights, &best);
    right += std::ranges::equal(best.labels, photographs.example(m).labels());
  }
  std::cout << (counted ? "with" : "without")
            << " a factor over all tags: " << Name(result.termination) << "\nobjective "
            << result.last.primal << " , at least " << result.last.dual << "\n"
            << right << " of " << kTest << " photographs with all tags right\n";
}

int main() { return TrainAndTest(false), TrainAndTest(true), 0; }
