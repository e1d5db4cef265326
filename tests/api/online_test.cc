// SPDX-License-Identifier: BSD-3-Clause
//
// Training on examples that are not kept.
#include <slackline/online.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factor.h>
#include <slackline/predict.h>

using namespace slackline;

namespace {

/// Chains of three variables whose states depend on their inputs.
struct Days {
  Days() {
    const auto look = model.AddWeights("look", 2, 2);
    const auto change = model.AddWeights("change");
    GraphBuilder builder(model);
    const auto v = builder.AddVariables(3, 2);
    for (int t = 0; t < 3; ++t) builder.AddInput(v[t], look, t);
    for (int t = 1; t < 3; ++t) builder.AddFactor({v[t - 1], v[t]}, Potts(2), change);
    graph.emplace(builder.Build());
    for (int m = 0; m < 40; ++m) {
      Example example;
      for (int t = 0; t < 3; ++t) {
        const double x = static_cast<double>(random()) / 4294967296.0 - 0.5;
        example.labels.push_back(x > 0 ? 1 : 0);
        example.inputs.Add(std::vector<double>{x, 1});
      }
      examples.push_back(example);
    }
  }
  Dataset Part(std::size_t begin, std::size_t end) const {
    Dataset data(model);
    for (std::size_t m = begin; m < end; ++m) data.Add(*graph, examples[m]);
    return data;
  }

  std::mt19937 random{5};
  Model model;
  std::optional<Graph> graph;
  std::vector<Example> examples;
};

std::vector<double> Values(const OnlineTrainer& trainer) {
  const Weights weights = trainer.weights();
  return {weights.values().begin(), weights.values().end()};
}

}  // namespace

TEST_CASE("a stream in parts of any size gives the same weights and figures") {
  const Days days;
  for (const OnlineAverage average : {OnlineAverage::kNewest, OnlineAverage::kUniform,
                                      OnlineAverage::kWeighted, OnlineAverage::kSuffix}) {
    OnlineTrainer whole(days.model, {.lambda = 0.1, .samples = 3, .average = average});
    CHECK(Values(whole) == std::vector<double>(5, 0.0));
    CHECK(whole.summary().num_examples == 0);
    whole.Learn(days.Part(0, 40));
    for (const std::size_t size : {1, 9}) {
      OnlineTrainer parts(days.model, {.lambda = 0.1, .samples = 3, .average = average});
      for (std::size_t m = 0; m < 40; m += size) {
        parts.Learn(days.Part(m, std::min<std::size_t>(m + size, 40)));
        OnlineTrainer moved = std::move(parts);
        parts = std::move(moved);
      }
      CHECK(Values(parts) == Values(whole));
      CHECK(parts.summary().num_examples == 40);
      CHECK(parts.summary().mean_loss == whole.summary().mean_loss);
      CHECK(parts.summary().regret_bound == whole.summary().regret_bound);
    }
  }
}

TEST_CASE("the objective suffered is within the bound of the regret, and the weights predict") {
  const Days days;
  const double lambda = 0.05;
  OnlineTrainer trainer(days.model, {.lambda = lambda});
  trainer.Learn(days.Part(0, 40));
  const TrainResult best =
      Train(days.Part(0, 40), {.lambda = lambda, .gap_tolerance = 1e-6, .learner = "bcfw"});
  const OnlineSummary summary = trainer.summary();
  CHECK(summary.mean_objective >= best.dual);
  CHECK(summary.mean_objective <= best.primal + summary.regret_bound);
  CHECK(summary.mean_loss <= summary.mean_objective);
  int wrong = 0;
  Predictor predictor(*days.graph, trainer.weights());
  for (const Example& example : days.examples) {
    const Labelling labels = predictor.Predict({.inputs = example.inputs}).labels;
    for (int t = 0; t < 3; ++t) wrong += labels[t] != example.labels[t];
  }
  CHECK(wrong <= 24);  // of 120

  OnlineTrainer silent(days.model, {.lambda = lambda, .predict_first = false});
  silent.Learn(days.Part(0, 40));
  CHECK(std::isnan(silent.summary().mean_loss));
  CHECK(silent.summary().mean_objective == summary.mean_objective);
  CHECK(Values(silent) == Values(trainer));
}

TEST_CASE("a call that is interrupted has learned from the examples before, and can be continued") {
  const Days days;
  OnlineTrainer whole(days.model, {.lambda = 0.1, .samples = 3});
  CHECK(whole.Learn(days.Part(0, 40)) == 40);
  OnlineTrainer trainer(days.model, {.lambda = 0.1, .samples = 3});
  std::atomic<int> interrupt{1};
  CHECK(trainer.Learn(days.Part(0, 40), &interrupt) == 0);
  CHECK(trainer.summary().num_examples == 0);
  interrupt = 0;
  std::thread later([&] { interrupt = 1; });
  const std::int64_t first = trainer.Learn(days.Part(0, 40), &interrupt);
  later.join();
  CHECK(trainer.summary().num_examples == first);
  CHECK(trainer.Learn(days.Part(static_cast<std::size_t>(first), 40)) == 40 - first);
  CHECK(Values(trainer) == Values(whole));
}

TEST_CASE("unlabelled examples are left out of a stream") {
  const Days days;
  OnlineTrainer trainer(days.model, {.lambda = 0.1});
  Dataset unknown(days.model);
  Example example = days.examples[0];
  example.labels = {kUnlabelled, kUnlabelled, kUnlabelled};
  unknown.Add(*days.graph, example);
  trainer.Learn(unknown);
  trainer.Learn(Dataset(days.model));
  CHECK(trainer.summary().num_examples == 0);
}

TEST_CASE("what online training refuses") {
  const Days days;
  const auto refuses = [&](const OnlineOptions& options, const char* part) {
    CHECK_THROWS_WITH_AS(OnlineTrainer(days.model, options), doctest::Contains(part),
                         std::exception);
  };
  refuses({}, "online training needs a lambda > 0");
  refuses({.lambda = 1, .samples = 0}, "samples");
  refuses(
      {.lambda = 1, .learner_options = {{"revisit", "on"}}},
      "examples that are not kept are visited once, in their order: the option revisit does not "
      "apply");
  for (const char* name : {"learner", "order", "max-passes", "gap-tolerance", "threads"}) {
    CAPTURE(name);
    refuses({.lambda = 1, .learner_options = {{name, "5"}}}, "does not apply");
  }
  for (const char* name : {"lambda", "seed", "average", "online-loss"}) {
    CAPTURE(name);
    refuses({.lambda = 1, .learner_options = {{name, "5"}}}, "by its own field of OnlineOptions");
  }
  refuses({.lambda = 1, .learner_options = {{"samples", "5"}}},
          "set samples by its own field of OnlineOptions");
  refuses({.lambda = 1, .learner_options = {{"sample", "5"}}},
          "there is no training option 'sample'; did you mean 'samples'?");
  refuses({.lambda = 1, .learner_options = {{"rho", "5"}}}, "rho");

  OnlineTrainer trainer(days.model, {.lambda = 1});
  CHECK_THROWS_WITH_AS(trainer.Learn(Days().Part(0, 1)),
                       doctest::Contains("the examples are of another model"),
                       std::invalid_argument);
  CHECK(trainer.summary().num_examples == 0);

  Model counted;
  GraphBuilder builder(counted);
  const auto v = builder.AddVariables(3, 2);
  const auto price = counted.AddWeights("price");
  builder.AddFactor(v, AtMost(1), price);
  const Graph graph = builder.Build();
  OnlineTrainer tree(counted, {.lambda = 1, .learner_options = {{"oracle", "tree"}}});
  Dataset data(counted);
  data.Add(graph, {.labels = {0, 1, 0}});
  CHECK_THROWS_AS(tree.Learn(data), std::runtime_error);
  CHECK(tree.summary().num_examples == 0);
}
