// SPDX-License-Identifier: BSD-3-Clause
//
// Problems with one variable and one weight, on which bounds are reached.
#pragma once

#include <memory>
#include <vector>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/loss.h>

namespace slackline::internal::test {

/// Examples with one variable each. values: per example, its feature in each state; losses: of all
/// states of all examples. State `truths[m]`, or 0 if there are none, is the ground truth.
inline TrainingSet OneVariable(const std::vector<std::vector<double>>& values,
                               const std::vector<double>& losses,
                               const std::vector<Index>& truths = {}) {
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("w", 1, 1);
  Dataset data(layout, std::make_shared<FeatureRows>());
  for (std::size_t m = 0; m < values.size(); ++m) {
    FactorGraphBuilder builder;
    builder.AddVariable(static_cast<Index>(values[m].size()));
    StructureBuilder structure(builder.Build(), layout);
    structure.AddConstant(
        0, block, structure.AddStateMap({std::vector<Index>(values[m].size(), 0), values[m]}), 0);
    data.Add(structure.Build(), std::vector<Index>{truths.empty() ? 0 : truths[m]});
  }
  TrainingSet training = MakeTrainingSet(data, LossOptions{});
  training.losses = losses;
  return training;
}

}  // namespace slackline::internal::test
