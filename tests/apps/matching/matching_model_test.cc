// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_model.h>

#include <string>

#include <doctest/doctest.h>

#include <slackline/apps/matching/matching_draw.h>
#include <slackline/apps/matching/matching_predict.h>
#include <slackline/core/check.h>
#include <slackline/learning/example_blocks/multi_sample_learner.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/train_loop.h>

#include "tests/core/temporary_folder.h"
#include "tests/support/dense_qp.h"
#include "tests/support/never.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Loaded {
  MatchingData data;
  MatchingModel model;
};

Loaded Load(const std::string& text, MatchingCapacities capacities = {}, MatchingCosts costs = {}) {
  const TemporaryFolder folder;
  FeatureDictionary dictionary;
  MatchingData data = ReadMatchings(folder.Write("data.txt", text), nullptr, &dictionary);
  return {std::move(data), MatchingModel(std::move(dictionary), capacities, costs)};
}

constexpr const char* kSmall =
    "2 2\n0 0 1 a:1\n0 1 0 a:0.2 b\n1 0 0 b:2\n1 1 1 a:0.7 b:0.1\n\n"
    "1 2\n0 0 0 b:0.4\n0 1 1 a:0.9\n\n"
    "2 1\n0 0 ? a:1\n1 0 0 a:0.5 b\n\n"
    "1 1\n0 0 ? a\n\n"
    "3 3\n";

std::string Joined(const std::vector<std::string>& examples) {
  std::string text;
  for (const std::string& example : examples) text += (text.empty() ? "" : "\n") + example;
  return text;
}

}  // namespace

TEST_CASE("training data are the edges with known labels") {
  const Loaded loaded = Load(kSmall);
  const Dataset data = loaded.model.MakeTrainingData(loaded.data);
  REQUIRE(data.size() == 3);  // without the examples that have no known labels or no edges
  CHECK(data.example(0).graph().num_variables() == 4);
  CHECK(data.example(2).graph().num_variables() == 1);
  CHECK(data.example(2).input(0).values[0] == 0.5);
  CHECK(data.example(2).graph().num_global_factors() == 1);
  const TrainingSet training = MakeTrainingSet(data, loaded.model.Loss(LossScale::kCount));
  // Edge 0 is in the ground truth: missing it costs 3. Edge 1 is not: choosing it costs 1.
  CHECK(training.loss(0)[0] == 3);
  CHECK(training.loss(0)[1] == 0);
  CHECK(training.loss(0)[2] == 0);
  CHECK(training.loss(0)[3] == 1);
}

TEST_CASE("the trained model is the optimum over matchings") {
  for (const MatchingCapacities capacities :
       {MatchingCapacities{1, 1}, MatchingCapacities{2, 1}, MatchingCapacities{0, 0}}) {
    const Loaded loaded = Load(kSmall, capacities);
    const Problem problem(MakeTrainingSet(loaded.model.MakeTrainingData(loaded.data),
                                          loaded.model.Loss(LossScale::kCount)),
                          0.1);
    const double optimum = RelaxedOptimum(problem.training(), 0.1);
    for (const LearnerKind learner : {LearnerKind::kAuto, LearnerKind::kAugmentedLagrangian}) {
      TrainOptions options;
      options.learner = learner;
      options.gap_tolerance = options.absolute_gap = 1e-5;
      const TrainSummary summary = Train(problem, options);
      CHECK(summary.termination == Termination::kConverged);
      CHECK(Near(summary.last.primal, optimum, 3e-5));
    }
  }
}

TEST_CASE("updates with several matchings: the dual never falls, and bounds are right") {
  // 3 × 3 candidate edges, so that several matchings are near the best one.
  DrawnAlignments drawing;
  drawing.examples = 6;
  drawing.shortest = drawing.longest = 3;
  drawing.vocabulary = 12;
  drawing.lexical = false;
  drawing.possible = 0.2;
  const Loaded loaded = Load(Joined(DrawAlignments(drawing)));
  const Problem problem(MakeTrainingSet(loaded.model.MakeTrainingData(loaded.data),
                                        loaded.model.Loss(LossScale::kCount)),
                        0.1);
  const double optimum = RelaxedOptimum(problem.training(), 0.1);  // that over matchings
  for (const bool revisit : {false, true}) {
    TrainOptions options;
    options.learner = LearnerKind::kMultiSample;
    options.own<MultiSampleOptions>().revisit = revisit;
    options.own<MultiSampleOptions>().samples = 5;
    const auto learner = MakeLearner(problem, options);
    double dual = 0;
    for (int pass = 0; pass < 60; ++pass) {
      learner->RunPass(kNever);
      const Evaluation evaluation = learner->Evaluate(1);
      if (pass % 20 == 0) {
        const double primal = RelaxedPrimal(problem.training(), 0.1, learner->weights());
        CHECK(Near(evaluation.primal, primal, kSolver));
      }
      CHECK(evaluation.dual <= optimum + kSolver);
      CHECK(evaluation.primal >= optimum - kSolver);
      if (revisit) {
        CHECK(evaluation.dual >= dual - kTight);
        dual = evaluation.dual;
      }
    }
    if (revisit) CHECK(Near(dual, optimum, 1e-3));
  }
}

TEST_CASE("given labels that break a capacity are refused") {
  const std::string text = "2 2\n0 0 1\n0 1 1\n";
  CHECK_THROWS_WITH_AS(
      Load(text).model.MakeTrainingData(Load(text).data),
      doctest::Contains("data.txt:3: left node 0 has more than 1 edge with label 1"), DataError);
  CHECK_NOTHROW(Load(text, {2, 1}).model.MakeTrainingData(Load(text).data));
  CHECK_NOTHROW(Load(text, {0, 1}).model.MakeTrainingData(Load(text).data));
  const std::string right = "2 2\n0 1 1\n1 1 1\n";
  CHECK_THROWS_WITH_AS(Load(right, {2, 1}).model.MakeTrainingData(Load(right).data),
                       doctest::Contains("--right-capacity"), DataError);
}

TEST_CASE("predictions are optimal matchings, and metrics count edges") {
  Loaded loaded = Load(kSmall);
  // Weights of a, b and the constant.
  loaded.model.set_weights({1, 0.51, -0.3});
  const MatchingPredictions predictions = PredictMatchings(loaded.model, loaded.data, 2);
  CHECK(Near(predictions.scores[1], 0.2 + 0.51 - 0.3, kTight));
  // The two diagonals of the first example score 0.7 + 0.451 and 0.41 + 0.72.
  CHECK(predictions.labels == std::vector<Index>{1, 0, 0, 1, 0, 1, 0, 1, 1});
  const MatchingMetrics metrics = EvaluateMatchings(loaded.data, predictions.labels, {2, 5});
  CHECK(metrics.examples == 3);
  CHECK(metrics.edges == 7);
  CHECK(metrics.truth == 3);
  CHECK(metrics.predicted == 4);
  CHECK(metrics.right == 3);
  CHECK(metrics.precision == doctest::Approx(0.75));
  CHECK(metrics.recall == 1);
  CHECK(metrics.f1 == doctest::Approx(6.0 / 7));
  CHECK(metrics.error_rate == doctest::Approx(1.0 / 7));
  CHECK(metrics.exact == doctest::Approx(2.0 / 3));
  CHECK(metrics.mean_loss == doctest::Approx(2.0 / 3));
  // All edges missed.
  const MatchingMetrics none = EvaluateMatchings(loaded.data, std::vector<Index>(9, 0), {2, 5});
  CHECK(none.precision == 0);
  CHECK(none.error_rate == 1);
  CHECK(none.mean_loss == doctest::Approx(5.0));
  CHECK_THROWS_AS(EvaluateMatchings(loaded.data, std::vector<Index>(3, 0), {}),
                  std::invalid_argument);
}

TEST_CASE("possible edges are neither right nor wrong") {
  const std::string text =
      "2 3\n0 0 1 a:1\n0 1 p a:0.9\n0 2 0 a:0.1\n1 0 0 a:0.3\n1 1 1 a:0.2\n1 2 p a:0.8\n\n"
      "1 1\n0 0 p a:1\n\n1 1\n0 0 ? a:1\n";
  const Loaded loaded = Load(text);
  CHECK(loaded.data.edges[1].possible);
  CHECK(loaded.data.edges[1].label == kUnlabelled);
  CHECK_FALSE(loaded.data.edges[7].possible);
  // Training has the sure and the false edges alone, with the limits of the sure ones.
  const Dataset training = loaded.model.MakeTrainingData(loaded.data);
  REQUIRE(training.size() == 1);
  CHECK(training.example(0).graph().num_variables() == 4);
  std::string unknown = text;
  for (char& c : unknown) c = c == 'p' ? '?' : c;
  CHECK(
      Load(unknown).model.MakeTrainingData(Load(unknown).data).example(0).graph().num_variables() ==
      4);

  // A has a sure edge, a false one and two possible ones; S has two edges.
  const MatchingMetrics metrics =
      EvaluateMatchings(loaded.data, std::vector<Index>{1, 1, 0, 1, 0, 0, 1, 1}, {2, 5});
  CHECK(metrics.examples == 2);
  CHECK(metrics.edges == 7);
  CHECK(metrics.truth == 2);
  CHECK(metrics.possible == 3);
  CHECK(metrics.predicted == 4);
  CHECK(metrics.right == 1);
  CHECK(metrics.tolerated == 2);
  CHECK(metrics.precision == doctest::Approx(3.0 / 4));
  CHECK(metrics.recall == doctest::Approx(1.0 / 2));
  CHECK(metrics.f1 == doctest::Approx(2 * 0.75 * 0.5 / 1.25));
  CHECK(metrics.error_rate == doctest::Approx(1 - (1 + 3) / (4.0 + 2)));
  CHECK(metrics.exact == doctest::Approx(1.0 / 2));
  CHECK(metrics.mean_loss == doctest::Approx((2 + 5) / 2.0));
  // What is predicted of possible edges changes no cost.
  CHECK(EvaluateMatchings(loaded.data, std::vector<Index>{1, 0, 0, 1, 0, 1, 0, 0}, {2, 5})
            .mean_loss == metrics.mean_loss);
  // Only possible edges: nothing is missed.
  const Loaded only = Load("1 1\n0 0 p\n");
  CHECK(EvaluateMatchings(only.data, std::vector<Index>{0}, {}).error_rate == 0);
  CHECK(EvaluateMatchings(only.data, std::vector<Index>{1}, {}).error_rate == 0);
  CHECK(EvaluateMatchings(only.data, std::vector<Index>{1}, {}).f1 == 0);
}

TEST_CASE("huge weights are refused, and zero weights match nothing") {
  Loaded loaded = Load("1 1\n0 0 1 a:1e10\n");
  CHECK(PredictMatchings(loaded.model, loaded.data, 1).labels == std::vector<Index>{0});
  loaded.model.set_weights({1e305, 0});
  CHECK_THROWS_AS(PredictMatchings(loaded.model, loaded.data, 1), DataError);
}

TEST_CASE("a saved model loads with the same contents") {
  const TemporaryFolder folder;
  Loaded loaded = Load(kSmall, {0, 3}, {0.5, 2});
  loaded.model.set_weights({1, -2, 0.25});
  loaded.model.Save(folder.Path("m.slk"));
  const MatchingModel again = MatchingModel::Load(folder.Path("m.slk"));
  CHECK(again.weights() == loaded.model.weights());
  CHECK(again.dictionary().Text() == "a\nb\n");
  CHECK(again.capacities().left == 0);
  CHECK(again.capacities().right == 3);
  CHECK(again.costs().precision == 0.5);
  CHECK(again.costs().recall == 2);
  CHECK_THROWS_AS(MatchingModel(FeatureDictionary(), {-1, 1}), std::invalid_argument);
  CHECK_THROWS_AS(MatchingModel(FeatureDictionary(), {}, {-1, 1}), std::invalid_argument);
  // Without features only the constant is left.
  const Loaded plain = Load("1 1\n0 0 1\n");
  CHECK(plain.model.weights().size() == 1);
  CHECK(plain.model.MakeTrainingData(plain.data).size() == 1);
}

TEST_CASE("drawn alignments are matchings, and the same for the same seed") {
  DrawnAlignments options;
  options.examples = 8;
  const auto drawn = DrawAlignments(options);
  REQUIRE(drawn.size() == 8);
  CHECK(drawn == DrawAlignments(options));
  const Loaded loaded = Load(Joined(drawn));
  CHECK(loaded.data.num_examples() == 8);
  CHECK(loaded.model.MakeTrainingData(loaded.data).size() == 8);  // 8: no node has two edges
  Index ones = 0;
  for (const MatchingEdge& edge : loaded.data.edges) ones += edge.label;
  CHECK(ones > 8 * 3);
  for (const MatchingExample& example : loaded.data.examples) {
    CHECK(example.num_left >= options.shortest);
    CHECK(example.num_left <= options.longest);
    CHECK(example.num_edges == example.num_left * example.num_right);
  }
  options.seed = 2;
  CHECK(drawn != DrawAlignments(options));
  // Possible edges are true ones, or of words that follow them, and nothing else changes.
  options.seed = 1;
  options.possible = 0.4;
  const Loaded doubtful = Load(Joined(DrawAlignments(options)));
  REQUIRE(doubtful.data.edges.size() == loaded.data.edges.size());
  Index doubted = 0, added = 0;
  for (std::size_t e = 0; e < loaded.data.edges.size(); ++e) {
    const MatchingEdge& before = loaded.data.edges[e];
    const MatchingEdge& after = doubtful.data.edges[e];
    CHECK((after.possible || after.label == before.label));
    doubted += after.possible && before.label == 1;
    added += after.possible && before.label == 0;
    const FeatureRow row = doubtful.data.rows->row(static_cast<Index>(e));
    CHECK(row.values[0] == loaded.data.rows->row(static_cast<Index>(e)).values[0]);
  }
  CHECK(doubted > ones / 5);
  CHECK(doubted < 3 * ones / 5);
  CHECK(added > 0);
  CHECK(added < doubted);
  options.possible = 1.5;
  CHECK_THROWS_AS(DrawAlignments(options), std::invalid_argument);
  options.possible = 0;
  options.lexical = false;
  CHECK(DrawAlignments(options)[0].find("pair") == std::string::npos);
  options.shortest = 0;
  CHECK_THROWS_AS(DrawAlignments(options), std::invalid_argument);
}
