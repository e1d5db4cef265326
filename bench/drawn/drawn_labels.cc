// SPDX-License-Identifier: BSD-3-Clause
#include "bench/drawn/drawn_labels.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/check.h>
#include <slackline/core/random.h>

namespace slackline::internal {
namespace {

/// Draws the labels of an example, before label noise.
void DrawLabels(Random* random, std::vector<std::int8_t>* labels) {
  for (std::size_t i = 0; i < labels->size(); ++i) {
    const bool copied = random->Uniform() < 0.3 && i > 0;
    const bool on = random->Uniform() < 0.2;
    (*labels)[i] = copied ? (*labels)[i - 1] : static_cast<std::int8_t>(on);
  }
}

/// Draws dense inputs: noise plus the direction of each label that is on.
class DenseInputs {
 public:
  DenseInputs(Random* random, const SyntheticLabelsOptions& options)
      : options_(options), directions_(Offset{options.labels} * options.features) {
    for (double& value : directions_) value = random->Normal();
    const double powers = options.largest_power - options.smallest_power;
    for (Index f = 0; f < options.features && powers > 0; ++f)
      factors_.push_back(std::pow(10, options.smallest_power + powers * random->Uniform()));
  }
  void Add(Random* random, const std::vector<std::int8_t>& labels, FeatureRows* rows) {
    const std::size_t features = options_.features;
    const double scale = 1 / std::sqrt(static_cast<double>(features));
    values_.assign(features, 0);
    for (double& value : values_) value = random->Normal() * scale;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] != 1) continue;
      for (std::size_t f = 0; f < features; ++f)
        values_[f] += 0.3 * scale * directions_[i * features + f];
    }
    for (std::size_t f = 0; f < factors_.size(); ++f) values_[f] *= factors_[f];
    if (options_.constant) values_.push_back(1);
    rows->AddDense(values_);
  }

 private:
  SyntheticLabelsOptions options_;
  std::vector<double> directions_;
  std::vector<double> factors_;  // one per column; empty: all 1
  std::vector<double> values_;
};

void AddSparseInput(Random* random, const SyntheticLabelsOptions& options,
                    const std::vector<std::int8_t>& labels, FeatureRows* rows) {
  std::vector<Index> on;
  for (Index i = 0; i < options.labels; ++i) {
    if (labels[i] == 1 && i < options.features) on.push_back(i);
  }
  const auto features = static_cast<std::uint64_t>(options.features);
  std::vector<Index> columns;
  while (std::ssize(columns) < options.stored) {
    Index column = static_cast<Index>(random->Below(features));
    if (!on.empty() && random->Uniform() < 0.5) {
      const Index label = on[random->Below(on.size())];
      column -= column % options.labels;
      column += column + label < options.features ? label : 0;
    }
    const auto place = std::lower_bound(columns.begin(), columns.end(), column);
    if (place == columns.end() || *place != column) columns.insert(place, column);
  }
  std::vector<double> values(columns.size(), 1 / std::sqrt(static_cast<double>(options.stored)));
  if (options.constant) {
    columns.push_back(options.features);
    values.push_back(1);
  }
  rows->AddSparse(columns, values);
}

}  // namespace

Problem MakeFullGraphProblem(const MultiLabelData& data, double lambda) {
  return MakeLabelProblem(data, "full", LossScale::kCount, lambda);
}

Problem MakeLabelProblem(const MultiLabelData& data, const std::string& graph, LossScale scale,
                         double lambda) {
  const MultiLabelModel model(data.label_names, data.num_features, data.has_constant,
                              MakeLabelGraph(graph, data));
  LossOptions loss;
  loss.scale = scale;
  TrainingSet training = MakeTrainingSet(model.MakeDataset(data), loss);
  const Index examples = training.data.size();
  if (examples == 0) throw DataError(data.source, 0, "no example has a known label");
  return Problem(std::move(training), lambda > 0 ? lambda : 1.0 / examples);
}

MultiLabelData MakeSyntheticLabels(const SyntheticLabelsOptions& options) {
  SLACKLINE_CHECK(options.examples >= 1 && options.labels >= 1 && options.features >= 1,
                  "synthetic labels need at least one example, label and feature");
  SLACKLINE_CHECK(options.stored >= 0 && options.stored <= options.features,
                  "an example cannot store more features than there are");
  Random random(options.seed);
  MultiLabelData data;
  data.source = "synthetic";
  for (Index i = 0; i < options.labels; ++i) data.label_names.push_back(std::to_string(i));
  data.num_features = options.features;
  data.has_constant = options.constant;
  SyntheticLabelsOptions dense = options;
  if (options.stored > 0) dense.features = 1;  // sparse inputs need no directions
  DenseInputs inputs(&random, dense);
  const auto rows = std::make_shared<FeatureRows>();
  std::vector<std::int8_t> labels(options.labels);
  for (Index m = 0; m < options.examples; ++m) {
    DrawLabels(&random, &labels);
    if (options.stored > 0) {
      AddSparseInput(&random, options, labels, rows.get());
    } else {
      inputs.Add(&random, labels, rows.get());
    }
    for (const std::int8_t label : labels) {
      const bool flipped = random.Uniform() < options.label_noise;
      data.labels.push_back(flipped ? static_cast<std::int8_t>(1 - label) : label);
    }
    data.lines.push_back(m + 1);
  }
  data.rows = rows;
  return data;
}

}  // namespace slackline::internal
