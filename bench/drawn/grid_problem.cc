// SPDX-License-Identifier: BSD-3-Clause
#include "bench/drawn/grid_problem.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>

#include "bench/drawn/grid_edges.h"

namespace slackline::internal {
namespace {

/// A sum of four waves over the grid.
class SmoothField {
 public:
  SmoothField(Random* random, const GridProblemOptions& options) {
    for (Wave& wave : waves_) {
      const double angle = 2 * std::numbers::pi * random->Uniform();
      const double periods = 0.5 + random->Uniform();
      const double length = 2 * std::numbers::pi * periods / std::max(options.rows, options.cols);
      wave = {length * std::cos(angle), length * std::sin(angle),
              2 * std::numbers::pi * random->Uniform()};
    }
  }
  double operator()(Index row, Index col) const {
    double sum = 0;
    for (const Wave& wave : waves_)
      sum += std::cos(wave.along_rows * row + wave.along_cols * col + wave.phase);
    return sum;
  }

 private:
  struct Wave {
    double along_rows, along_cols, phase;
  };
  Wave waves_[4];
};

void AddChains(const GridProblemOptions& options, const TableFactor& pair, Index table,
               ModelBuilder* builder) {
  const auto row = std::make_shared<TreeFactor>(TreeFactor::Chain(options.cols, pair));
  const auto column = std::make_shared<TreeFactor>(TreeFactor::Chain(options.rows, pair));
  std::vector<Index> scope;
  for (Index r = 0; r < options.rows; ++r) {
    scope.clear();
    for (Index c = 0; c < options.cols; ++c) scope.push_back(r * options.cols + c);
    builder->AddGlobalFactor(scope, row, table);
  }
  for (Index c = 0; c < options.cols; ++c) {
    scope.clear();
    for (Index r = 0; r < options.rows; ++r) scope.push_back(r * options.cols + c);
    builder->AddGlobalFactor(scope, column, table);
  }
}

std::shared_ptr<const Structure> GridStructure(const GridProblemOptions& options,
                                               std::shared_ptr<const WeightLayout> layout,
                                               Index unary, Index table) {
  ModelBuilder builder(std::move(layout));
  for (Index v = 0; v < options.rows * options.cols; ++v) {
    builder.AddVariable(options.states);
    builder.AddLinearFeatures(v, unary, v);
  }
  const TableFactor pair({options.states, options.states});
  if (options.chains) {
    AddChains(options, pair, table, &builder);
    return builder.Build();
  }
  ForEachGridEdge(options.rows, options.cols, [&](Index a, Index b) {
    builder.AddFactor({a, b}, pair, table);
  });
  return builder.Build();
}

/// For every position the state whose field is largest there.
std::vector<Index> SmoothLabels(Random* random, const GridProblemOptions& options) {
  std::vector<SmoothField> fields;
  for (Index s = 0; s < options.states; ++s) fields.emplace_back(random, options);
  std::vector<Index> labels;
  for (Index r = 0; r < options.rows; ++r) {
    for (Index c = 0; c < options.cols; ++c) {
      Index best = 0;
      for (Index s = 1; s < options.states; ++s) {
        if (fields[s](r, c) > fields[best](r, c)) best = s;
      }
      labels.push_back(best);
    }
  }
  return labels;
}

}  // namespace

TrainingSet MakeGridProblem(const GridProblemOptions& options) {
  SLACKLINE_CHECK(options.examples >= 1 && options.rows >= 1 && options.cols >= 1 &&
                      options.states >= 1 && options.features >= 1,
                  "a grid problem needs at least one example, row, column, state and feature");
  SLACKLINE_CHECK(
      options.feature_noise >= 0 && options.label_noise >= 0 && options.label_noise <= 1,
      "the noise of a grid problem is out of range");
  Random random(options.seed);
  auto layout = std::make_shared<WeightLayout>();
  const Index unary = layout->AddBlock("unary", options.states, options.features);
  const Index table = layout->AddBlock("neighbours", options.states * options.states);
  const auto structure = GridStructure(options, layout, unary, table);

  std::vector<double> prototypes(Offset{options.states} * options.features);
  for (double& value : prototypes) value = random.Normal();
  auto rows = std::make_shared<FeatureRows>();
  std::vector<std::vector<Index>> labellings;
  std::vector<double> x(options.features);
  // Scales the inputs to unit norm on average.
  const double scale =
      1 / std::sqrt(options.features * (1 + options.feature_noise * options.feature_noise));
  for (Index m = 0; m < options.examples; ++m) {
    std::vector<Index> labels = SmoothLabels(&random, options);
    for (Index& label : labels) {
      const double* prototype = prototypes.data() + label * x.size();
      for (std::size_t f = 0; f < x.size(); ++f)
        x[f] = scale * (prototype[f] + options.feature_noise * random.Normal());
      rows->AddDense(x);
      if (random.Uniform() < options.label_noise)
        label = static_cast<Index>(random.Below(options.states));
    }
    labellings.push_back(std::move(labels));
  }
  Dataset data(layout, rows);
  for (Index m = 0; m < options.examples; ++m) {
    data.Add(structure, labellings[m], m * options.rows * options.cols);
  }
  LossOptions loss;
  loss.scale = options.loss;
  return MakeTrainingSet(data, loss);
}

}  // namespace slackline::internal
