// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/prediction/multilabel_explain.h>

#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/core/random.h>
#include <slackline/learning/train_loop.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

MultiLabelData RandomData(Random& random, Index examples, Index features, Index labels,
                          bool constant) {
  MultiLabelData data;
  for (Index k = 0; k < labels; ++k) data.label_names.push_back("L" + std::to_string(k));
  data.num_features = features;
  data.has_constant = constant;
  auto rows = std::make_shared<FeatureRows>();
  for (Index m = 0; m < examples; ++m) {
    std::vector<double> x(features);
    for (double& value : x) value = random.Normal();
    if (constant) x.push_back(1);
    rows->AddDense(x);
    for (Index k = 0; k < labels; ++k)
      data.labels.push_back(static_cast<std::int8_t>(random.Below(2)));
    data.lines.push_back(m + 1);
  }
  data.rows = rows;
  return data;
}

MultiLabelModel RandomModel(Random& random, const MultiLabelData& data) {
  std::vector<LabelPair> pairs;
  for (Index a = 0; a < data.num_labels(); ++a) {
    for (Index b = a + 1; b < data.num_labels(); ++b) {
      if (random.Below(3) > 0) pairs.push_back({a, b});
    }
  }
  MultiLabelModel model(data.label_names, data.num_features, data.has_constant, pairs);
  std::vector<double> weights(model.weights().size());
  for (double& weight : weights) weight = random.Normal();
  model.set_weights(weights);
  return model;
}

/// The score of a labelling by the definition of the model.
double Score(const MultiLabelModel& model, const MultiLabelData& data, Index m,
             const std::vector<std::int8_t>& labels) {
  const Index n = model.num_labels();
  const Index columns = model.num_features() + (model.has_constant() ? 1 : 0);
  const FeatureRow x = data.rows->row(m);
  double score = 0;
  for (Index label = 0; label < n; ++label) {
    for (Index f = 0; f < columns; ++f) {
      if (labels[label] == 1) score += x.values[f] * model.weights()[f * n + label];
    }
  }
  for (std::size_t k = 0; k < model.pairs().size(); ++k) {
    const LabelPair& pair = model.pairs()[k];
    if (labels[pair.a] == 1 && labels[pair.b] == 1) score += model.weights()[columns * n + k];
  }
  return score;
}

}  // namespace

TEST_CASE("the parts of every labelling add up to its score") {
  Random random(1);
  for (const bool constant : {false, true}) {
    const MultiLabelData data = RandomData(random, 4, 5, 3, constant);
    const MultiLabelModel model = RandomModel(random, data);
    for (Index m = 0; m < 4; ++m) {
      for (int bits = 0; bits < 8; ++bits) {
        const std::vector<std::int8_t> labels = {static_cast<std::int8_t>(bits & 1),
                                                 static_cast<std::int8_t>(bits / 2 & 1),
                                                 static_cast<std::int8_t>(bits / 4)};
        const MultiLabelExplanation parts = ExplainLabels(model, data, m, labels, 2);
        CHECK(parts.total == doctest::Approx(Score(model, data, m, labels)).epsilon(1e-12));
        CHECK(std::ssize(parts.labels) == labels[0] + labels[1] + labels[2]);
        for (const LabelExplanation& label : parts.labels) {
          // The loss of score when this label is off.
          std::vector<std::int8_t> without = labels;
          without[label.label[1] - '0'] = 0;
          CHECK(label.score ==
                doctest::Approx(parts.total - Score(model, data, m, without)).epsilon(1e-9));
          double sum = label.features.others;
          for (const ScorePart& part : label.features.parts) sum += part.score;
          CHECK(sum == doctest::Approx(label.features.total).epsilon(1e-12));
          CHECK(label.features.parts.size() == 2);
          CHECK(label.features.num_others == 3);
        }
      }
    }
  }
}

TEST_CASE("features show the values of the data, and pairs name the other label") {
  MultiLabelModel model({"a", "b", "c"}, 1, true, {{0, 1}, {0, 2}, {1, 2}});
  model.set_weights({2, 3, 4, 0.5, 0.25, 0.125, 1, -5, 7});
  model.set_feature_names({"size"});
  model.set_scaling(FeatureScaling::FromNumbers(ScaleKind::kStandard, {100}, {10}));
  MultiLabelData data;
  data.label_names = model.label_names();
  data.num_features = 1;
  data.has_constant = true;
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::vector<double>{-1, 1});
  data.rows = rows;
  data.labels = {0, 0, 0};
  data.lines = {1};
  const std::vector<std::int8_t> all = {1, 1, 1};
  const MultiLabelExplanation parts = ExplainLabels(model, data, 0, all, 3);
  CHECK(parts.feature_total == -9);
  CHECK(parts.constant_total == 0.875);
  CHECK(parts.pair_total == 3);
  CHECK(parts.total == -5.125);
  const LabelExplanation& a = parts.labels[0];
  CHECK(a.features.parts[0].name == "size");
  CHECK(a.features.parts[0].raw == 90);
  CHECK(a.features.parts[0].value == -1);
  CHECK(a.constant == 0.5);
  REQUIRE(a.pairs.size() == 2);
  CHECK(a.pairs[0].first == "c");
  CHECK(a.pairs[0].second == -5);
  CHECK(a.pair_total == -4);
  CHECK(a.score == -5.5);
}

TEST_CASE("a kernelized model has the sum over its support vectors") {
  Random random(2);
  const MultiLabelData data = RandomData(random, 12, 3, 2, false);
  MultiLabelModel model(data.label_names, 3, true, {{0, 1}}, true);
  TrainOptions options;
  options.kernel = KernelKind::kRbf;
  const Problem problem(MakeTrainingSet(model.MakeDataset(data), {}), 0.01);
  const auto learner = MakeLearner(problem, options);
  model.SetTrained(problem, options,
                   RunTraining(problem, *learner, options, nullptr, nullptr).weights);
  const MultiLabelPredictions predicted = Predict(model, data, {});
  for (Index m = 0; m < 12; ++m) {
    const std::span<const std::int8_t> chosen(predicted.labels.data() + 2 * m, 2);
    const MultiLabelExplanation parts = ExplainLabels(model, data, m, chosen, 5);
    for (const LabelExplanation& label : parts.labels) {
      CHECK(label.features.parts.empty());
      std::vector<double> kernel(2);
      model.support()->Scores(data.rows->row(m), kernel);
      CHECK(label.features.total == kernel[label.label[1] - '0']);
    }
    CHECK(parts.total >= 0);  // the empty labelling has score 0, and the chosen one is the best
  }
}

TEST_CASE("what does not fit is refused") {
  Random random(3);
  const MultiLabelData data = RandomData(random, 2, 2, 2, true);
  const MultiLabelModel model = RandomModel(random, data);
  const std::vector<std::int8_t> good = {0, 1};
  CHECK_THROWS_AS(ExplainLabels(model, data, -1, good, 1), std::invalid_argument);
  CHECK_THROWS_AS(ExplainLabels(model, data, 2, good, 1), std::invalid_argument);
  CHECK_THROWS_AS(ExplainLabels(model, data, 0, std::vector<std::int8_t>{1}, 1),
                  std::invalid_argument);
  CHECK_THROWS_AS(ExplainLabels(model, data, 0, std::vector<std::int8_t>{1, -1}, 1),
                  std::invalid_argument);
  CHECK_THROWS_AS(ExplainLabels(model, data, 0, good, 0), std::invalid_argument);
}
