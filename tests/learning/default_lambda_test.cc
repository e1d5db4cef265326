// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <cmath>
#include <memory>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/learning/default_lambda.h>

#include <tests/support/dealt.h>
#include <tests/support/random_problems.h>
#include <tests/support/tolerances.h>

#include "tests/support/losses.h"
#include "tests/support/option_text.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr Index kDrawnExamples = 5;
constexpr Index kVariables = 3;

/// Binary variables with the inputs (m + 1, 2) times `unit`, where m is the number of the example;
/// separate weights for every variable, or one row for all.
Problem Drawn(LossScale loss, double unit, bool shared, double lambda = 1) {
  auto rows = std::make_shared<FeatureRows>();
  for (Index m = 0; m < kDrawnExamples; ++m)
    rows->AddDense(std::vector<double>{unit * (m + 1), unit * 2});
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("rows", shared ? 1 : kVariables, 2);
  FactorGraphBuilder graph;
  graph.AddVariables(kVariables, 2);
  StructureBuilder builder(graph.Build(), layout);
  const Index on = builder.AddStateMap({{kAbsent, 0}, {}});
  for (Index i = 0; i < kVariables; ++i) builder.AddLinear(i, block, 0, on, shared ? 0 : i);
  const auto structure = builder.Build();
  Dataset data(layout, rows);
  for (Index m = 0; m < kDrawnExamples; ++m)
    data.Add(structure, std::vector<Index>{0, 1, m % 2}, m);
  return Problem(MakeTrainingSet(data, LossWith(loss)), lambda);
}

/// The mean of (m + 1)² + 4 for m = 0 … 4.
constexpr double kSquaredNorm = 15;

}  // namespace

TEST_CASE("the scales of a problem are norms, losses, and variables per weight") {
  const CostScales mean = ScalesOf(Drawn(LossScale::kMean, 1, false), {});
  CHECK(std::abs(mean.mean_squared_norm - kSquaredNorm) < kExact);
  CHECK(std::abs(mean.loss_per_variable - 1.0 / kVariables) < kExact);
  CHECK(mean.variables_per_weight == kDrawnExamples / 2.0);
  CHECK(mean.num_examples == kDrawnExamples);
  const CostScales shared = ScalesOf(Drawn(LossScale::kCount, 1, true), {});
  CHECK(shared.loss_per_variable == 1);
  CHECK(shared.variables_per_weight == kDrawnExamples * kVariables / 2.0);
}

TEST_CASE("the default has C·R² = 4 in every unit of losses and inputs") {
  for (const LossScale loss : {LossScale::kMean, LossScale::kCount}) {
    for (const double unit : {1e-3, 1.0, 100.0}) {
      const CostScales scales = ScalesOf(Drawn(loss, unit, false), {});
      const double lambda = scales.LambdaFor(kDefaultCostTimesSquaredNorm);
      CHECK(std::abs(scales.CostPerVariable(lambda) * scales.mean_squared_norm - 4) < kExact);
      CHECK(std::abs(scales.DefaultLambda() / lambda - 1) < 0.005);  // three digits
    }
  }
  // LIBLINEAR's C = 1 is λ = n/M with the mean loss, 1/M with the count loss.
  CHECK(std::abs(ScalesOf(Drawn(LossScale::kMean, 1, false), {}).CostPerVariable(3.0 / 5) - 1) <
        kExact);
  CHECK(std::abs(ScalesOf(Drawn(LossScale::kCount, 1, false), {}).CostPerVariable(1.0 / 5) - 1) <
        kExact);
}

TEST_CASE("constants count at most as much as the features beside them") {
  auto rows = std::make_shared<FeatureRows>();
  auto sparse = std::make_shared<FeatureRows>();
  for (Index m = 0; m < 4; ++m) {
    rows->AddDense(std::vector<double>{0.1 * (m % 2 == 0 ? 1 : -1), 0.2 + 0.1 * m, 1});
    sparse->AddSparse(std::vector<Index>{m, 7}, std::vector<double>{3, 1});
  }
  const auto scales = [](const std::shared_ptr<FeatureRows>& inputs, Index columns, bool bias) {
    auto layout = std::make_shared<WeightLayout>();
    const Index block = layout->AddBlock("rows", 1, columns);
    const Index biases = bias ? layout->AddBlock("bias", 1) : -1;
    FactorGraphBuilder graph;
    graph.AddVariables(1, 2);
    StructureBuilder builder(graph.Build(), layout);
    const Index on = builder.AddStateMap({{kAbsent, 0}, {}});
    builder.AddLinear(0, block, 0, on);
    if (bias) builder.AddConstant(0, biases, on);
    const auto structure = builder.Build();
    Dataset data(layout, inputs);
    for (Index m = 0; m < 4; ++m) data.Add(structure, std::vector<Index>{m % 2}, m);
    return ScalesOf(Problem(MakeTrainingSet(data, {}), 1), {});
  };
  const double features = 0.01 + (0.04 + 0.09 + 0.16 + 0.25) / 4;
  CHECK(std::abs(scales(rows, 3, false).mean_squared_norm - 2 * features) < kExact);
  CHECK(std::abs(scales(rows, 3, true).mean_squared_norm - 2 * features) < kExact);
  CHECK(std::abs(scales(sparse, 8, false).mean_squared_norm - 10) < kExact);
  CHECK(std::abs(scales(sparse, 8, true).mean_squared_norm - 11) < kExact);
}

TEST_CASE("the default falls with the root of the number of variables per weight") {
  CostScales scales{.variables_per_weight = 40, .num_examples = 100};
  CHECK(scales.DefaultLambda() == RoundedLambda(1.0 / 400));
  scales.variables_per_weight = 4000;
  CHECK(scales.DefaultLambda() == RoundedLambda(1.0 / 4000));
}

TEST_CASE("with a kernel the squared norm is k(x, x)") {
  TrainOptions options{.kernel = KernelKind::kRbf};
  CHECK(ScalesOf(Drawn(LossScale::kMean, 7, false), options).mean_squared_norm == 1);
  Set(&options, "--kernel polynomial --kernel-gamma 2 --kernel-degree 2 --kernel-offset 1");
  double mean = 0;
  for (Index m = 0; m < kDrawnExamples; ++m)
    mean += std::pow(2.0 * ((m + 1) * (m + 1) + 4) + 1, 2) / kDrawnExamples;
  CHECK(std::abs(ScalesOf(Drawn(LossScale::kMean, 1, false), options).mean_squared_norm / mean -
                 1) < kExact);
}

TEST_CASE("problems without features have a default, too") {
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("pair", 1);
  FactorGraphBuilder graph;
  graph.AddVariables(2, 2);
  graph.AddFactor({0, 1});
  StructureBuilder builder(graph.Build(), layout);
  builder.AddConstant(2, block, builder.AddStateMap({{kAbsent, 0, 0, kAbsent}, {}}));
  Dataset data(layout, std::make_shared<FeatureRows>());
  data.Add(builder.Build(), std::vector<Index>{0, 1});
  const CostScales scales = ScalesOf(Problem(MakeTrainingSet(data, {}), 1), {});
  CHECK(scales.mean_squared_norm == 1);
  CHECK(scales.variables_per_weight == 0);
  CHECK(scales.DefaultLambda() == 0.5);
}

namespace {

/// Every fifth example has variables of its own kind, so that ranks have different structures.
Problem DrawnShapes(LossForm form) {
  Random random(29);
  TrainingSet training = RandomProblem(random, {.num_examples = 23,
                                                .num_variables = 4,
                                                .max_states = form == LossForm::kF1 ? 2 : 3,
                                                .mixed_sizes = true,
                                                .uneven_inputs = true,
                                                .constant_inputs = true});
  training.form = form;
  return Problem(std::move(training), 0.1);
}

}  // namespace

TEST_CASE("ranks get the scales of all examples, with the bits of one process with shards") {
  for (const LossForm form : {LossForm::kSum, LossForm::kF1}) {
    const Problem problem = DrawnShapes(form);
    const TrainOptions sharded{.shards = 5};
    const CostScales exact = ScalesOf(problem, sharded);
    const CostScales plain = ScalesOf(problem, {});
    CHECK(exact.DefaultLambda() == plain.DefaultLambda());
    CHECK(std::abs(exact.mean_squared_norm / plain.mean_squared_norm - 1) < kExact);
    for (const int size : {1, 2, 3, 5}) {
      CAPTURE(size);
      const auto all = OnEachRank(size, [&](ThreadRanks& ranks) {
        TrainOptions options = sharded;
        options.ranks = &ranks;
        return ScalesOf(PartOf(problem, ranks), options);
      });
      for (const CostScales& scales : all) {
        CHECK(scales.mean_squared_norm == exact.mean_squared_norm);
        CHECK(scales.loss_per_variable == exact.loss_per_variable);
        CHECK(scales.variables_per_weight == exact.variables_per_weight);
        CHECK(scales.num_examples == 23);
        CHECK(scales.DefaultLambda() == plain.DefaultLambda());
      }
    }
  }
}

TEST_CASE("a column is constant if it has one value on all ranks") {
  // Column 0 is constant, column 1 is constant on each of two ranks, column 2 on the first alone.
  const auto problem_of = [](const std::vector<std::vector<double>>& inputs) {
    auto rows = std::make_shared<FeatureRows>();
    for (const std::vector<double>& input : inputs) rows->AddDense(input);
    auto layout = std::make_shared<WeightLayout>();
    const Index block = layout->AddBlock("rows", 1, 3);
    FactorGraphBuilder graph;
    graph.AddVariables(1, 2);
    StructureBuilder builder(graph.Build(), layout);
    builder.AddLinear(0, block, 0, builder.AddStateMap({{kAbsent, 0}, {}}));
    const auto structure = builder.Build();
    Dataset data(layout, rows);
    for (Index m = 0; m < rows->size(); ++m) data.Add(structure, std::vector<Index>{m % 2}, m);
    return Problem(MakeTrainingSet(data, {}), 1);
  };
  const Problem problem = problem_of({{9, 1, 1}, {9, 1, 1}, {9, 2, 1}, {9, 2, 3}});
  const double features = (1 + 1 + 4 + 4) / 4.0 + (1 + 1 + 1 + 9) / 4.0;
  CHECK(std::abs(ScalesOf(problem, {}).mean_squared_norm - 2 * features) < kExact);
  const auto all = OnEachRank(
      2, [&](ThreadRanks& ranks) { return ScalesOf(PartOf(problem, ranks), {.ranks = &ranks}); });
  for (const CostScales& scales : all)
    CHECK(std::abs(scales.mean_squared_norm - 2 * features) < kExact);
}

TEST_CASE("kernels are refused on several ranks") {
  const Problem problem = Drawn(LossScale::kMean, 1, false);
  CHECK(ErrorOnRanks(2,
                     [&](ThreadRanks& ranks) {
                       ScalesOf(PartOf(problem, ranks),
                                {.kernel = KernelKind::kRbf, .ranks = &ranks});
                     }) ==
        "--kernel, which compares every example with all others, needs a single process, but 2 "
        "processes train together");
}
