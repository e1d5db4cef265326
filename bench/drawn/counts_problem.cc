// SPDX-License-Identifier: BSD-3-Clause
#include "bench/drawn/counts_problem.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kCountsFeatures = 12;

std::shared_ptr<const Structure> CountsStructure(const CountsOptions& options,
                                                 const std::shared_ptr<WeightLayout>& layout) {
  const Index labels = options.labels;
  const Index unary = layout->AddBlock("unary", labels, kCountsFeatures + 1);
  const Index pairs = layout->AddBlock("pairs", labels * (labels - 1) / 2);
  const Index number = layout->AddBlock("number", labels + 1);
  ModelBuilder builder(layout);
  std::vector<Index> all(labels);
  std::iota(all.begin(), all.end(), 0);
  for (const Index i : all) {
    const Index rows[] = {kAbsent, i};
    builder.AddLinearFeatures(builder.AddVariable(2), unary, 0, rows);
  }
  const FactorType both =
      builder.Register(TableFactor({2, 2}, 1, StateMap{{kAbsent, kAbsent, kAbsent, 0}, {}}));
  Index pair = 0;
  for (const Index i : all) {
    for (Index j = 0; j < i; ++j) builder.AddFactor({j, i}, both, pairs, pair++);
  }
  if (options.counted)
    builder.AddGlobalFactor(all, std::make_shared<CardinalityFactor>(labels), number);
  return builder.Build();
}

/// The labels of the inputs x: those with the three or four largest noisy scores.
std::vector<Index> LargestLabels(const std::vector<double>& x, const std::vector<double>& meaning,
                                 Random* random) {
  std::vector<double> score(meaning.size() / kCountsFeatures);
  for (std::size_t i = 0; i < score.size(); ++i) {
    const auto row = meaning.begin() + static_cast<std::ptrdiff_t>(i * kCountsFeatures);
    score[i] = std::inner_product(x.begin(), x.end(), row, 0.5 * random->Normal());
  }
  std::vector<double> sorted = score;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double least = sorted[2 + random->Below(2)];
  std::vector<Index> labels;
  for (const double value : score) labels.push_back(value >= least ? 1 : 0);
  return labels;
}

}  // namespace

TrainingSet MakeCountsProblem(const CountsOptions& options) {
  SLACKLINE_CHECK(options.examples >= 1 && options.labels >= 4,
                  "a problem of counts needs an example and four labels");
  auto layout = std::make_shared<WeightLayout>();
  const auto structure = CountsStructure(options, layout);
  Random random(options.seed);
  std::vector<double> meaning(options.labels * kCountsFeatures);
  for (double& value : meaning) value = random.Normal();
  auto rows = std::make_shared<FeatureRows>();
  std::vector<std::vector<Index>> given;
  for (Index m = 0; m < options.examples; ++m) {
    std::vector<double> x(kCountsFeatures);
    for (double& value : x) value = random.Normal();
    given.push_back(LargestLabels(x, meaning, &random));
    x.push_back(1);
    rows->AddDense(x);
  }
  Dataset data(layout, rows);
  for (Index m = 0; m < options.examples; ++m) data.Add(structure, given[m], m);
  return MakeTrainingSet(data, LossOptions());
}

}  // namespace slackline::internal
