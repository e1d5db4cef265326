// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_explain.h>

#include <doctest/doctest.h>

#include <slackline/apps/sequence/sequence_predict.h>
#include <slackline/learning/train_loop.h>
#include <tests/support/sequences.h>
#include <tests/support/tolerances.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

SequenceModel RandomModel(Random& random, const SequenceData& data) {
  SequenceModel model(data.label_names, data.num_features);
  std::vector<double> weights(model.weights().size());
  for (double& weight : weights) weight = random.Normal();
  model.set_weights(weights);
  return model;
}

}  // namespace

TEST_CASE("the parts of the best labellings add up to the values of the decoder") {
  Random random(5);
  const SequenceData data = RandomSequences(random, 12, 3, 5);
  const SequenceModel model = RandomModel(random, data);
  SequencePredictOptions options;
  options.best = 3;
  const std::vector<Index> all = AllSequences(data);
  const SequencePredictions predicted = PredictSequences(model, data, all, options);
  for (const Index m : all) {
    for (const RankedLabelling& labelling : predicted.best[m]) {
      const SequenceExplanation parts = ExplainSequence(model, data, m, labelling.labels, 1);
      CHECK(parts.total == doctest::Approx(labelling.value).epsilon(1e-12));
      CHECK(parts.tokens.size() == labelling.labels.size());
      double sum = 0;
      for (const TokenExplanation& token : parts.tokens) sum += token.score;
      CHECK(sum == doctest::Approx(parts.total).epsilon(1e-12));
    }
  }
}

TEST_CASE("each token has its label's observations, and the transition from the one before") {
  Random random(6);
  SequenceData data = RandomSequences(random, 30, 2, 4);
  SequenceModel model = RandomModel(random, data);
  model.set_scaling(FeatureScaling::FromNumbers(ScaleKind::kMaxAbs, {}, {2, 2, 2}));
  int longer = 0;
  for (Index m = 0; m < data.num_sequences(); ++m) {
    std::vector<Index> labels(data.length(m));
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<Index>(i % 2);
    const SequenceExplanation parts = ExplainSequence(model, data, m, labels, 3);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const TokenExplanation& token = parts.tokens[i];
      const std::size_t y = i % 2;
      CHECK(token.label == data.label_names[y]);
      CHECK(token.constant == model.constant_weights()[y]);
      CHECK(token.start == (i == 0 ? model.start_weights()[y] : 0));
      CHECK(token.end == (i + 1 == labels.size() ? model.end_weights()[y] : 0));
      CHECK(token.transition == (i == 0 ? 0 : model.transition_weights()[2 * (1 - y) + y]));
      for (const ScorePart& part : token.observations.parts) CHECK(part.raw == 2 * part.value);
      longer += i > 0 ? 1 : 0;
    }
  }
  CHECK(longer > 10);
}

TEST_CASE("a kernelized model has the sum over its support vectors") {
  Random random(7);
  const SequenceData data = RandomSequences(random, 8, 2, 3);
  SequenceModel model(data.label_names, data.num_features);
  TrainOptions options;
  options.kernel = KernelKind::kRbf;
  const std::vector<Index> all = AllSequences(data);
  const Problem problem(MakeTrainingSet(model.MakeDataset(data, all), {}), 0.01);
  const auto learner = MakeLearner(problem, options);
  model.SetTrained(problem, options,
                   RunTraining(problem, *learner, options, nullptr, nullptr).weights);
  REQUIRE(model.support().has_value());
  SequencePredictOptions best;
  best.best = 1;
  const SequencePredictions predicted = PredictSequences(model, data, all, best);
  for (const Index m : all) {
    const RankedLabelling& labelling = predicted.best[m][0];
    const SequenceExplanation parts = ExplainSequence(model, data, m, labelling.labels, 1);
    CHECK(parts.total == doctest::Approx(labelling.value).epsilon(1e-9));
    CHECK(parts.tokens[0].observations.parts.empty());
  }
}

TEST_CASE("what does not fit is refused") {
  Random random(8);
  const SequenceData data = RandomSequences(random, 1, 2, 1);
  const SequenceModel model = RandomModel(random, data);
  CHECK_THROWS_AS(ExplainSequence(model, data, 1, std::vector<Index>{0}, 1), std::invalid_argument);
  CHECK_THROWS_AS(ExplainSequence(model, data, 0, std::vector<Index>{0, 0}, 1),
                  std::invalid_argument);
  CHECK_THROWS_AS(ExplainSequence(model, data, 0, std::vector<Index>{2}, 1), std::invalid_argument);
  CHECK_THROWS_AS(ExplainSequence(model, data, 0, std::vector<Index>{-1}, 1),
                  std::invalid_argument);
}
