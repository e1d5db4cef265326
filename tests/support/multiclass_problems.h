// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include <slackline/core/loss.h>
#include <slackline/core/random.h>
#include <slackline/factors/model_builder.h>

namespace slackline::internal::test {

/// Examples of one variable each, with a row of weights for each of its states.
struct MulticlassProblem {
  std::shared_ptr<FeatureRows> rows;
  std::vector<Index> labels;
  TrainingSet training;
};

/// Labels follow the inputs, with noise. The weight of class j and feature f is at f · classes + j.
/// costs: [true, predicted] by rows; empty: 1 for every error.
inline MulticlassProblem RandomMulticlassProblem(Random& random, Index examples, Index classes,
                                                 Index features,
                                                 const std::vector<double>& costs = {}) {
  std::vector<Index> labels;
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("classes", classes, features);
  ModelBuilder builder(layout);
  builder.AddLinearFeatures(builder.AddVariable(classes), block, 0);
  const auto structure = builder.Build();
  auto rows = std::make_shared<FeatureRows>();
  for (Index m = 0; m < examples; ++m) {
    std::vector<double> x(features);
    for (double& value : x) value = random.Normal();
    const auto noisy = static_cast<Index>(random.Below(static_cast<std::uint64_t>(classes)));
    const auto plain = static_cast<Index>(x[0] > 0) % classes;
    labels.push_back(random.Uniform() < 0.4 ? noisy : plain);
    rows->AddDense(x);
  }
  Dataset data(layout, rows);
  for (Index m = 0; m < examples; ++m) data.Add(structure, std::vector<Index>{labels[m]}, m);
  LossOptions loss;
  loss.costs = costs;
  return {rows, labels, MakeTrainingSet(data, loss)};
}

}  // namespace slackline::internal::test
