// SPDX-License-Identifier: BSD-3-Clause
//
// Compares training with a user's oracle with training of the same problem as a graph.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/random.h>
#include <slackline/slackline.h>

#include "tests/support/tolerances.h"

namespace slackline {
namespace {

using internal::test::kTight;
constexpr int kClasses = 4, kClassFeatures = 3, kClassExamples = 25;

/// Multiclass examples: the oracle enumerates all classes.
class Classes : public ExampleOracle {
 public:
  Classes(WeightBlock block, double slack) : block_(block), slack_(slack) {
    internal::Random random(2);
    for (int m = 0; m < kClassExamples; ++m) {
      std::vector<double> x(kClassFeatures);
      for (double& value : x) value = random.Normal();
      inputs.push_back(x);
      labels.push_back(static_cast<int>(random.Below(kClasses)));
    }
  }
  void Maximize(int m, const Weights& weights, OracleAnswer* answer) override {
    const auto w = weights["classes"];
    double best = -1;
    int best_state = 0;
    for (int s = 0; s < kClasses; ++s) {
      double value = s == labels[m] ? 0 : 1;
      for (int c = 0; c < kClassFeatures; ++c) value += (w(s, c) - w(labels[m], c)) * inputs[m][c];
      if (value > best) best = value, best_state = s;
    }
    answer->loss = best_state == labels[m] ? 0 : 1;
    for (int c = 0; c < kClassFeatures; ++c) {
      answer->features.Add(block_, best_state, c, inputs[m][c]);
      answer->features.Add(block_, labels[m], c, -inputs[m][c]);
    }
    if (slack_ > 0) answer->bound = best + slack_;
  }

  std::vector<std::vector<double>> inputs;
  std::vector<int> labels;

 private:
  WeightBlock block_;
  double slack_;
};

TEST_CASE("a user's oracle reaches the optimum of the same problem as a graph") {
  Model model;
  const WeightBlock block = model.AddWeights("classes", kClasses, kClassFeatures);
  Classes oracle(block, 0);
  GraphBuilder builder(model);
  builder.AddInput(builder.AddVariable(kClasses), block, 0);
  const Graph graph = builder.Build();
  Dataset data(model);
  for (std::size_t m = 0; m < kClassExamples; ++m)
    data.Add(graph, {.inputs = {oracle.inputs[m]}, .labels = {oracle.labels[m]}});
  for (const double lambda : {1.0, 0.05, 0.002}) {
    const TrainOptions options{.lambda = lambda, .gap_tolerance = 1e-7};
    const TrainResult as_graph = Train(data, options);
    const TrainResult own = Train(model, kClassExamples, oracle, options);
    CHECK(own.termination == Termination::kConverged);
    CHECK(own.dual <= own.primal);
    CHECK(own.dual <= as_graph.primal + kTight);
    CHECK(as_graph.dual <= own.primal + kTight);
    CHECK(own.certificate.problem == CertifiedProblem::kExact);
    for (std::size_t k = 0; k < own.weights.values().size(); ++k)
      CHECK(std::abs(own.weights.values()[k] - as_graph.weights.values()[k]) < 0.02);
    CHECK(own.learner == "whole-example");
    CHECK(own.num_examples == kClassExamples);
  }
}

TEST_CASE("runs replay, and depend only on the seed") {
  Model model;
  Classes oracle(model.AddWeights("classes", kClasses, kClassFeatures), 0);
  const TrainOptions options{.lambda = 0.05, .max_passes = 5, .seed = 4};
  const TrainResult a = Train(model, kClassExamples, oracle, options);
  const TrainResult b = Train(model, kClassExamples, oracle, options);
  CHECK(std::ranges::equal(a.weights.values(), b.weights.values()));
}

TEST_CASE("a loose bound leaves a gap of its own size, and no more") {
  Model model;
  Classes oracle(model.AddWeights("classes", kClasses, kClassFeatures), 0.125);
  const TrainResult result = Train(model, kClassExamples, oracle,
                                   {.lambda = 0.05, .gap_tolerance = 1e-9, .max_passes = 200});
  CHECK(result.termination == Termination::kMaxPasses);
  CHECK(result.gap == doctest::Approx(0.125).epsilon(1e-5));
}

TEST_CASE("checks ask for batches, whose answers count like single ones") {
  class Batches : public Classes {
   public:
    using Classes::Classes;
    void MaximizeBatch(int first, const Weights& weights,
                       std::span<OracleAnswer> answers) override {
      ++batches;
      largest = std::max(largest, answers.size());
      CHECK(first + static_cast<int>(answers.size()) <= kClassExamples);
      for (std::size_t k = answers.size(); k-- > 0;)
        Maximize(first + static_cast<int>(k), weights, &answers[k]);
    }
    int batches = 0;
    std::size_t largest = 0;
  };
  Model model;
  const WeightBlock block = model.AddWeights("classes", kClasses, kClassFeatures);
  Classes single(block, 0);
  Batches batches(block, 0);
  const TrainResult a = Train(model, kClassExamples, single, {.lambda = 0.05});
  const TrainResult b = Train(model, kClassExamples, batches, {.lambda = 0.05});
  CHECK(std::ranges::equal(a.weights.values(), b.weights.values()));
  CHECK(a.primal == b.primal);
  CHECK(a.dual == b.dual);
  CHECK(batches.batches > 0);
  CHECK(batches.largest == kClassExamples);
}

/// An oracle that returns the given answer.
class Faulty : public ExampleOracle {
 public:
  explicit Faulty(OracleAnswer answer) : answer_(std::move(answer)) {}
  void Maximize(int /*m*/, const Weights& /*weights*/, OracleAnswer* answer) override {
    *answer = answer_;
  }

 private:
  OracleAnswer answer_;
};

TEST_CASE("contradictory answers end the run with a message") {
  Model model;
  const WeightBlock block = model.AddWeights("w", 2);
  const auto refuses = [&](const char* words, const OracleAnswer& answer) {
    Faulty oracle(answer);
    CHECK_THROWS_WITH_AS(Train(model, 1, oracle, {.lambda = 1}), doctest::Contains(words),
                         std::invalid_argument);
  };
  refuses("loss that is negative or no number", {});
  refuses("loss that is negative or no number", {.loss = -1, .bound = 1});
  refuses("below its own value", {.loss = 1, .bound = 0.5});
  FeatureVector nowhere;
  nowhere.Add(block, 2, 0, 1);
  refuses("weights that the model does not have", {.features = nowhere, .loss = 1});
  FeatureVector infinite;
  infinite.Add(block, 0, 0, std::numeric_limits<double>::infinity());
  refuses("not finite", {.features = infinite, .loss = 1});
  // A score below that of the ground truth, and no bound: the output is not the best one.
  FeatureVector some;
  some.Add(block, 0, 0, 1);
  class Second : public ExampleOracle {
   public:
    explicit Second(WeightBlock b) : block(b) {}
    void Maximize(int /*m*/, const Weights& /*weights*/, OracleAnswer* answer) override {
      answer->features.Add(block, 0, 0, 1);
      answer->loss = calls++ == 0 ? 1 : 0;
    }
    WeightBlock block;
    int calls = 0;
  } second(block);
  CHECK_THROWS_WITH_AS(Train(model, 1, second, {.lambda = 0.1}), doctest::Contains("needs a bound"),
                       std::invalid_argument);
}

/// Faults that users' oracles have.
class Lying : public Classes {
 public:
  enum class Lie { kNone, kForgetsLoss, kMinimises, kTruth, kRandom };
  Lying(WeightBlock block, Lie lie) : Classes(block, 0), block_(block), lie_(lie) {}

  void Maximize(int m, const Weights& weights, OracleAnswer* answer) override {
    if (lie_ == Lie::kNone) return Classes::Maximize(m, weights, answer);
    int state = labels[m];
    double best = -1e300;
    for (int s = 0; s < kClasses && lie_ != Lie::kTruth && lie_ != Lie::kRandom; ++s) {
      double value = lie_ == Lie::kForgetsLoss || s == labels[m] ? 0 : 1;
      for (int c = 0; c < kClassFeatures; ++c)
        value += (weights["classes"](s, c) - weights["classes"](labels[m], c)) * inputs[m][c];
      if (lie_ == Lie::kMinimises) value = -value;
      if (value > best) best = value, state = s;
    }
    if (lie_ == Lie::kRandom) state = static_cast<int>(random_.Below(kClasses));
    answer->loss = state == labels[m] ? 0 : 1;
    for (int c = 0; c < kClassFeatures; ++c) {
      answer->features.Add(block_, state, c, inputs[m][c]);
      answer->features.Add(block_, labels[m], c, -inputs[m][c]);
    }
  }

 private:
  WeightBlock block_;
  Lie lie_;
  internal::Random random_{5};
};

TEST_CASE("CheckOracle and training name what is wrong with an oracle") {
  Model model;
  const WeightBlock block = model.AddWeights("classes", kClasses, kClassFeatures);
  struct Case {
    Lying::Lie lie;
    const char* words;  // of CheckOracle
    bool refused;       // by training, too; else it notes that there is nothing to learn
  };
  for (const Case& c :
       {Case{Lying::Lie::kForgetsLoss, "an output that it returned before, with loss 1", true},
        Case{Lying::Lie::kMinimises, "less than 0, which the ground truth reaches", false},
        Case{Lying::Lie::kTruth, "does it return the ground truth", false},
        Case{Lying::Lie::kRandom, "the oracle's answer for example ", true}}) {
    CAPTURE(c.words);
    Lying oracle(block, c.lie);
    const std::string faults = CheckOracle(model, kClassExamples, oracle);
    CAPTURE(faults);
    CHECK(faults.find(c.words) != std::string::npos);
    if (!c.refused) {
      const TrainResult result = Train(model, kClassExamples, oracle, {.lambda = 0.01});
      REQUIRE(result.notes.size() == 1);
      CHECK(result.notes[0].find("had loss 0, so there was nothing to learn") != std::string::npos);
      continue;
    }
    CHECK_THROWS_WITH_AS(
        Train(model, kClassExamples, oracle, {.lambda = 0.01, .gap_tolerance = 1e-6}),
        doctest::Contains("the oracle's answer for example"), std::invalid_argument);
  }
  Lying right(block, Lying::Lie::kNone);
  CHECK(CheckOracle(model, kClassExamples, right).empty());
  Classes loose(block, 0.1);
  CHECK(CheckOracle(model, kClassExamples, loose).empty());
}

TEST_CASE("options that do not apply to a user's oracle are refused") {
  Model model;
  Classes oracle(model.AddWeights("classes", kClasses, kClassFeatures), 0);
  const auto refuses = [&](const char* words, const TrainOptions& options) {
    CHECK_THROWS_WITH_AS(Train(model, kClassExamples, oracle, options), doctest::Contains(words),
                         std::invalid_argument);
  };
  refuses("needs a lambda", {});
  refuses("option learner", {.lambda = 1, .learner = "al"});
  refuses("option loss", {.lambda = 1, .loss = {.form = LossForm::kCount}});
}

}  // namespace
}  // namespace slackline
