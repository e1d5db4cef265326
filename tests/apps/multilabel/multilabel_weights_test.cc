// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/multilabel_weights.h>

#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include <slackline/learning/train_loop.h>

using namespace slackline::internal;

namespace {

/// Three labels, two features and a constant. The weights of one feature are adjacent.
MultiLabelModel SmallModel() {
  MultiLabelModel model({"a", "b", "c"}, 2, true, {{0, 1}, {1, 2}});
  model.set_weights({1, 2, 3, -4, 5, 0, 0.1, 0.2, 0.3, 0.7, -0.9});
  return model;
}

MultiLabelModel Kernelized() {
  MultiLabelModel model({"a", "b"}, 2, true, {{0, 1}}, true);
  auto rows = std::make_shared<FeatureRows>();
  MultiLabelData data;
  data.label_names = {"a", "b"};
  data.num_features = 2;
  for (int m = 0; m < 8; ++m) {
    rows->AddDense(std::vector<double>{std::cos(m), std::sin(m)});
    data.labels.insert(data.labels.end(),
                       {static_cast<std::int8_t>(m % 2), static_cast<std::int8_t>(m / 4)});
    data.lines.push_back(m + 1);
  }
  data.rows = rows;
  TrainOptions options;
  options.kernel = KernelKind::kRbf;
  const Problem problem(MakeTrainingSet(model.MakeDataset(data), {}), 0.01);
  const auto learner = MakeLearner(problem, options);
  model.SetTrained(problem, options,
                   RunTraining(problem, *learner, options, nullptr, nullptr).weights);
  return model;
}

}  // namespace

TEST_CASE("a model without names lists features by number, the constant and pairs") {
  const WeightSummary summary = SummariseWeights(SmallModel(), {10, 0, 10});
  REQUIRE(summary.labels.size() == 3);
  const LabelWeights& a = summary.labels[0];
  CHECK(a.label == "a");
  REQUIRE(a.constants.size() == 1);
  CHECK(a.constants[0].weight == 0.1);
  REQUIRE(a.features.positive.size() == 1);
  CHECK(a.features.positive[0].name == "feature 1");
  CHECK(a.features.positive[0].weight == 1);
  REQUIRE(a.features.negative.size() == 1);
  CHECK(a.features.negative[0].name == "feature 2");
  CHECK(a.features.negative[0].weight == -4);
  CHECK(summary.labels[1].features.positive[0].weight == 5);
  CHECK(summary.labels[1].features.positive[1].weight == 2);
  CHECK(summary.labels[2].features.num_positive == 1);
  CHECK(summary.labels[2].constants[0].weight == 0.3);
  REQUIRE(summary.pairs.size() == 1);
  CHECK(summary.pairs[0].positive[0].first == "a");
  CHECK(summary.pairs[0].positive[0].weight == 0.7);
  CHECK(summary.pairs[0].negative[0].second == "c");
  CHECK(summary.pairs[0].negative[0].weight == -0.9);
  CHECK(summary.pairs[0].matrix.cells[3] == 0.7);
}

TEST_CASE("names and sizes of features are those of the model") {
  MultiLabelModel model = SmallModel();
  model.set_feature_names({"colour", "size"});
  model.set_scaling(FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {}, {3, 4}));
  const WeightSummary summary = SummariseWeights(model, {1, 2, 0});
  REQUIRE(summary.labels.size() == 2);
  CHECK(summary.labels[1].features.positive[0].name == "size");
  CHECK(summary.labels[1].features.positive[0].size == 4);
  CHECK(summary.labels[1].features.positive.size() == 1);
  CHECK(summary.labels[1].features.num_positive == 2);
  REQUIRE(summary.notes.size() == 2);
  CHECK(summary.notes[0].find("largest absolute value") != std::string::npos);
  CHECK(summary.notes[1].find("first 2 labels") != std::string::npos);
  CHECK(FeatureName(model, 0) == "colour");
}

TEST_CASE("a model without constant and pairs lists neither") {
  MultiLabelModel model({"a", "b"}, 1, false, {});
  model.set_weights({1, -1});
  const WeightSummary summary = SummariseWeights(model, {});
  CHECK(summary.pairs.empty());
  CHECK(summary.labels[0].constants.empty());
  CHECK(summary.labels[1].features.negative[0].weight == -1);
}

TEST_CASE("labels of a kernelised model list only their constants") {
  const MultiLabelModel model = Kernelized();
  const WeightSummary summary = SummariseWeights(model, {});
  REQUIRE(summary.labels.size() == 2);
  CHECK(summary.labels[1].constants[0].weight == model.weights()[1]);
  CHECK(summary.labels[0].features.positive.empty());
  CHECK(summary.labels[0].features.negative.empty());
  CHECK(summary.pairs[0].count == 1);
  CHECK(summary.notes[0].find("support vector") != std::string::npos);
}
