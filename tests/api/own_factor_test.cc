// SPDX-License-Identifier: BSD-3-Clause
//
// A user's factor with a max oracle is called in training and in prediction and never tabulated; a
// factor without one is tabulated once and never called again. Both reach the same optimum.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/slackline.h>

#include "tests/support/tolerances.h"

namespace slackline {
namespace {

using internal::test::kTight;
using Numbers = std::span<const double>;

constexpr int kVariables = 8;  // more labellings than prediction enumerates
constexpr int kStates = 3;
constexpr int kExamples = 8;
constexpr int kJointStates = 6561;  // kStates to the power of kVariables

struct Calls {
  std::atomic<int> features = 0;
  std::atomic<int> maxima = 0;
};

/// φ(y): the number of variables whose state differs from that of the first variable.
class LikeTheFirst {
 public:
  explicit LikeTheFirst(Calls* calls) : calls_(calls) {}
  std::vector<int> cardinalities() const { return std::vector<int>(kVariables, kStates); }
  int num_weights() const { return 1; }
  void AddFeatures(std::span<const int> y, double scale, std::span<double> out) const {
    ++calls_->features;
    for (const int state : y) out[0] += state == y[0] ? 0 : scale;
  }

 protected:
  Calls* calls_;
};

class LikeTheFirstByOracle : public LikeTheFirst {
 public:
  using LikeTheFirst::LikeTheFirst;
  double Maximize(Numbers weights, Numbers messages, std::span<int> y) const {
    ++calls_->maxima;
    double best = 0;
    for (int first = 0; first < kStates; ++first) {
      std::vector<int> states = {first};
      double value = -messages[first];
      for (int i = 1; i < kVariables; ++i) {
        int at = 0;
        const auto gain = [&](int s) {
          return (s == first ? 0 : weights[0]) - messages[i * kStates + s];
        };
        for (int s = 1; s < kStates; ++s) at = gain(s) > gain(at) ? s : at;
        value += gain(at);
        states.push_back(at);
      }
      if (first > 0 && !(value > best)) continue;
      best = value;
      std::copy(states.begin(), states.end(), y.begin());
    }
    return best;
  }
};

/// The same factor as a class derived from GlobalFactor.
class Derived final : public GlobalFactor {
 public:
  explicit Derived(Calls* calls) : factor_(calls), cardinalities_(factor_.cardinalities()) {}
  std::string_view name() const override { return "derived"; }
  std::span<const int> cardinalities() const override { return cardinalities_; }
  int num_weights() const override { return 1; }
  void AddFeatures(std::span<const int> y, double scale, std::span<double> out) const override {
    factor_.AddFeatures(y, scale, out);
  }
  double Maximize(Numbers weights, Numbers messages, std::span<int> y) const override {
    return factor_.Maximize(weights, messages, y);
  }

 private:
  LikeTheFirstByOracle factor_;
  std::vector<int> cardinalities_;
};

/// Examples of eight variables with two features each, joined by one user-defined factor.
struct Problem {
  Model model;
  WeightBlock look = model.AddWeights("look", kStates, 2);
  WeightBlock other = model.AddWeights("other");
  GraphBuilder builder{model};
  VariableRange variables = builder.AddVariables(kVariables, kStates);
  std::vector<Example> examples;

  template <class F>
  Graph GraphWith(const F& factor) {
    for (const Variable v : variables) builder.AddInput(v, look, v.number);
    builder.AddFactor(variables, factor, other);
    return builder.Build();
  }

  Dataset Data(const Graph& graph) {
    internal::Random random(5);
    Dataset data(model);
    for (int m = 0; m < kExamples; ++m) {
      Example example;
      for (int i = 0; i < kVariables; ++i) {
        example.inputs.Add(std::vector<double>{random.Normal(), random.Normal()});
        example.labels.push_back(static_cast<int>(random.Below(kStates)));
      }
      data.Add(graph, example);
      examples.push_back(example);
    }
    return data;
  }

  std::vector<Labelling> Predictions(const Graph& graph, const Weights& weights) const {
    std::vector<Labelling> labels;
    for (const Example& example : examples)
      labels.push_back(Predict(graph, {.inputs = example.inputs}, weights).labels);
    return labels;
  }
};

TrainOptions Options(const std::string& learner, double gap_tolerance) {
  return {.lambda = 0.1, .gap_tolerance = gap_tolerance, .max_passes = 2000, .learner = learner};
}

TEST_CASE("a user's max oracle is called by every learner that supports it, and in prediction") {
  Calls tabulated;
  Problem by_table;
  const Graph table = by_table.GraphWith(LikeTheFirst(&tabulated));
  const TrainResult expected = Train(by_table.Data(table), Options("auto", 1e-4));
  REQUIRE(expected.termination == Termination::kConverged);
  // Frank-Wolfe converges slowly near the optimum, so its learners get larger gaps.
  for (const auto& setting : {std::pair{"auto", 1e-4}, {"bcfw", 2e-2}, {"fw", 0.1}, {"al", 1e-2}}) {
    CAPTURE(setting.first);
    Calls calls;
    Problem problem;
    const Graph graph = problem.GraphWith(LikeTheFirstByOracle(&calls));
    const Dataset data = problem.Data(graph);
    CHECK(calls.maxima == 0);
    CHECK(calls.features < kJointStates);  // no table was made

    const TrainResult result = Train(data, Options(setting.first, setting.second));
    CHECK(result.termination == Termination::kConverged);
    CHECK(calls.maxima >= kExamples * result.passes);
    CHECK(result.dual <= expected.primal + kTight);
    CHECK(expected.dual <= result.primal + kTight);

    calls.maxima = 0;
    const auto predictions = problem.Predictions(graph, result.weights);
    CHECK(calls.maxima >= kExamples);
    // The weights found with the oracle predict the same labellings with the table.
    Weights weights(by_table.model);
    std::copy(result.weights.values().begin(), result.weights.values().end(),
              weights.values().begin());
    CHECK(predictions == by_table.Predictions(table, weights));
  }
}

TEST_CASE("a factor derived from GlobalFactor is called as well") {
  Calls calls;
  Problem problem;
  const Graph graph =
      problem.GraphWith(std::shared_ptr<const GlobalFactor>(std::make_shared<Derived>(&calls)));
  const TrainResult result = Train(problem.Data(graph), Options("auto", 1e-3));
  CHECK(result.termination == Termination::kConverged);
  CHECK(calls.maxima >= kExamples * result.passes);
  calls.maxima = 0;
  problem.Predictions(graph, result.weights);
  CHECK(calls.maxima >= kExamples);
  CHECK(CheckFactor(Derived(&calls)) == "");
}

TEST_CASE("a factor without a max oracle is tabulated when it is added, and not called again") {
  Calls calls;
  Problem problem;
  const Graph graph = problem.GraphWith(LikeTheFirst(&calls));
  CHECK(calls.features == kJointStates);
  const TrainResult result = Train(problem.Data(graph), Options("auto", 1e-3));
  problem.Predictions(graph, result.weights);
  CHECK(calls.features == kJointStates);
  CHECK(calls.maxima == 0);
}

/// A faulty factor: it writes the features instead of adding them.
struct Overwrites {
  std::vector<int> cardinalities() const { return {2, 2}; }
  int num_weights() const { return 1; }
  void AddFeatures(std::span<const int> y, double scale, std::span<double> out) const {
    out[0] = y[0] == y[1] ? 0 : scale;
  }
};

TEST_CASE("the conformance check works for user-defined factors of all kinds") {
  Calls calls;
  CHECK(CheckFactor(LikeTheFirst(&calls)) == "");
  CHECK(CheckFactor(LikeTheFirstByOracle(&calls)) == "");
  CHECK(calls.maxima > 0);
  CHECK(CheckFactor(Overwrites()).find("overwrites its output") != std::string::npos);
}

}  // namespace
}  // namespace slackline
