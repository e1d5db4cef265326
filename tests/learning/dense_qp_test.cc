// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of the reference programs that learners are compared with: known solutions, and the order
// of the optima.
#include "tests/support/dense_qp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/graph_topology.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/potts.h>
#include <slackline/factors/table.h>

#include "tests/support/losses.h"
#include "tests/support/plain_soft.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

namespace slackline::internal::test {
namespace {

bool AllForests(const TrainingSet& training) {
  for (const auto& structure : training.data.structures()) {
    if (!IsForest(structure->graph())) return false;
  }
  return true;
}

// One example with one binary variable, input (1) and label 0: P(w) = λ/2‖w‖² + max(0, 1 − (w_0 −
// w_1)).
TrainingSet OneBinaryVariable() {
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("linear", 2, 1);
  ModelBuilder builder(layout);
  builder.AddVariable(2);
  builder.AddLinearFeatures(0, 0, 0);
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::array<double, 1>{1.0});
  Dataset data(layout, rows);
  data.Add(builder.Build(), std::array<Index, 1>{0});
  return MakeTrainingSet(data, {});
}

// Three binary variables with one Potts weight, which rewards unequal pairs, and labels 0: the
// relaxation is not tight.
TrainingSet FrustratedTriangle() {
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("potts", 1);
  ModelBuilder builder(layout);
  for (int i = 0; i < 3; ++i) builder.AddVariable(2);
  for (const auto& [a, b] : {std::pair<Index, Index>{0, 1}, {1, 2}, {0, 2}})
    builder.AddFactor({a, b}, PottsFactor(2), 0);
  Dataset data(layout, nullptr);
  const std::shared_ptr<const Structure> structure = builder.Build();
  data.Add(structure, std::array<Index, 3>{0, 0, 1});
  data.Add(structure, std::array<Index, 3>{0, 0, 0});
  return MakeTrainingSet(data, LossWith(LossScale::kCount));
}

TEST_CASE("the optimum of one variable is that of a single hinge") {
  // With w = (t, −t) the objective is λt² + max(0, 1 − 2t): for λ ≤ 2 the minimum is at t = ½ with
  // the value λ/4, else at t = 1/λ.
  const TrainingSet training = OneBinaryVariable();
  CHECK(Near(ExactOptimum(training, 0.5), 0.125, kSolver));
  CHECK(Near(RelaxedOptimum(training, 0.5), 0.125, kSolver));
  CHECK(Near(SoftOptimum(training, 0.5, 1.0), 0.125, kSolver));
  CHECK(Near(ExactOptimum(training, 4.0), 1.0 - 1.0 / 4, kSolver));
  const Optimum optimum = SolveExact(training, 4.0);
  CHECK(std::abs(optimum.weights[0] - 0.25) < kSolver);
  CHECK(std::abs(optimum.weights[1] + 0.25) < kSolver);
  CHECK(Near(ExactPrimal(training, 0.5, std::array<double, 2>{0.1, 0.0}), 0.9025, kSolver));
}

TEST_CASE(
    "on a frustrated triangle the relaxed problem is above the exact one, at w and at the "
    "optimum") {
  const TrainingSet training = FrustratedTriangle();
  // Per unit of w, labellings score at most 2, while the relaxation reaches 3 with every pair half
  // (0,1), half (1,0).
  const std::array<double, 1> w = {10.0};
  // Example 1 (0,0,1): the ground truth scores 20; the best other labelling, (1,1,0), has loss 3
  // and score 20, so the hinge is 3. Relaxed: 30 + 1.5 − 20. Example 2 (0,0,0): two labels differ,
  // loss 2, score 20, hinge 22. Relaxed: 30 + 1.5.
  CHECK(Near(ExactPrimal(training, 1e-9, w), (3.0 + 22.0) / 2, kSolver));
  CHECK(Near(RelaxedPrimal(training, 1e-9, w), (11.5 + 31.5) / 2, kSolver));
  for (const double lambda : {0.01, 0.1, 1.0}) {
    CHECK(RelaxedOptimum(training, lambda) >= ExactOptimum(training, lambda) - kSolver);
  }
}

TEST_CASE("P and its relaxation attain the optima at the optimal weights, and are nowhere lower") {
  Random random(7);
  for (int trial = 0; trial < 12; ++trial) {
    CAPTURE(trial);
    const TrainingSet training = RandomProblem(random, RandomOptions(random));
    const double lambda = std::array{0.03, 0.3, 2.0}[trial % 3];
    const Optimum exact = SolveExact(training, lambda);
    const Optimum relaxed = SolveRelaxed(training, lambda);
    CHECK(std::abs(ExactPrimal(training, lambda, exact.weights) - exact.value) < kSolver);
    CHECK(std::abs(RelaxedPrimal(training, lambda, relaxed.weights) - relaxed.value) < kSolver);
    for (int k = 0; k < 5; ++k) {
      std::vector<double> near = exact.weights;
      for (double& value : near) value += 0.1 * random.Normal();
      CHECK(ExactPrimal(training, lambda, near) >= exact.value - kSolver);
      CHECK(RelaxedPrimal(training, lambda, near) >= ExactPrimal(training, lambda, near) - kSolver);
    }
  }
}

TEST_CASE("relaxed ≥ exact and soft ≥ relaxed; relaxed = exact on forests") {
  Random random(11);
  int forests = 0;
  int gaps = 0;
  for (int trial = 0; trial < 30; ++trial) {
    CAPTURE(trial);
    ProblemOptions options = RandomOptions(random);
    options.num_variables = std::max(options.num_variables, 3);
    options.num_factors = std::max(options.num_factors, 2);
    const TrainingSet training = RandomProblem(random, options);
    const double lambda = 0.1;
    const double exact = ExactOptimum(training, lambda);
    const double relaxed = RelaxedOptimum(training, lambda);
    CHECK(relaxed >= exact - kSolver);
    if (AllForests(training)) {
      ++forests;
      CHECK(std::abs(relaxed - exact) < kSolver);
    } else if (relaxed > exact + 1e-4) {
      ++gaps;
    }
    CHECK(SoftOptimum(training, lambda, 1.0) >= relaxed - kSolver);
  }
  CHECK(forests >= 5);
  CHECK(gaps >= 1);
}

TEST_CASE("the soft optimum grows with ρ from the relaxed optimum to that of independent parts") {
  Random random(13);
  const TrainingSet training = RandomProblem(random, {.num_variables = 3});
  const double relaxed = RelaxedOptimum(training, 0.1);
  double last = relaxed;
  for (const double rho : {1e-4, 1e-2, 1.0, 100.0}) {
    const double soft = SoftOptimum(training, 0.1, rho);
    CHECK(soft >= last - kSolver);
    last = soft;
  }
  CHECK(last > relaxed + 1e-3);
  CHECK(SoftOptimum(training, 0.1, 1e-5) - relaxed < 1e-3);
}

TEST_CASE(
    "the soft optimum closes the gap to its own dual: g(w, δ) + ρ/(2M)‖δ‖² with δ = (A μ_c − "
    "μ_i)/ρ") {
  Random random(19);
  for (const double rho : {0.1, 1.0, 10.0}) {
    const Problem problem(RandomProblem(random, {.num_variables = 3, .max_order = 3}), 0.1);
    const Optimum soft = SolveSoft(problem.training(), 0.1, rho);
    FactorBlocks blocks(problem, StepKind::kFrankWolfe, false);
    blocks.set_rho(rho);
    const PlainSoft plain(blocks, {});
    const RealVector marginals =
        Eigen::Map<const Eigen::VectorXd>(soft.marginals.data(), plain.size()).cast<Real>();
    const PlainSoft::Point point = plain.At(marginals);
    CHECK(Near(static_cast<double>(plain.Relaxed(point) + plain.Penalty(point)), soft.value,
               kSolver));
  }
}

TEST_CASE("an example given twice does not change the problem, in all three scales") {
  Random random(23);
  const TrainingSet once = RandomProblem(random, {.num_examples = 1});
  TrainingSet twice{Dataset(once.data.shared_layout(), once.data.rows()), {}, {0}, 0, 0};
  for (int copy = 0; copy < 2; ++copy) {
    const ExampleView example = once.data.example(0);
    twice.data.Add(once.data.structures()[0], example.labels(), 0, example.potentials());
    twice.losses.insert(twice.losses.end(), once.losses.begin(), once.losses.end());
    twice.loss_begin.push_back(static_cast<Offset>(twice.losses.size()));
  }
  CHECK(Near(ExactOptimum(twice, 0.1), ExactOptimum(once, 0.1), kSolver));
  CHECK(Near(RelaxedOptimum(twice, 0.1), RelaxedOptimum(once, 0.1), kSolver));
  CHECK(Near(SoftOptimum(twice, 0.1, 2.0), SoftOptimum(once, 0.1, 2.0), kSolver));
}

TEST_CASE("the exact reference refuses problems that are too large") {
  Random random(1);
  CHECK_THROWS_AS(
      ExactOptimum(RandomProblem(random, {.num_examples = 1, .num_variables = 12}), 1.0),
      std::invalid_argument);
}

TEST_CASE("random problems have the properties of their options") {
  Random random(17);
  for (const bool forest : {false, true}) {
    ProblemOptions options{
        .num_factors = 6, .max_order = 3, .forest = forest, .shared_structure = true};
    const TrainingSet training = RandomProblem(random, options);
    CHECK(training.data.size() == options.num_examples);
    CHECK(training.data.structures().size() == 1);
    CHECK(AllForests(training) == forest);
  }
  ProblemOptions options{
      .num_variables = 1, .max_states = 1, .inputs = InputKind::kNone, .loss = LossScale::kCount};
  const TrainingSet trivial = RandomProblem(random, options);
  CHECK(std::abs(RelaxedOptimum(trivial, 1.0)) < kSolver);
  CHECK(std::abs(ExactOptimum(trivial, 1.0)) < kSolver);
  options.tied_weights = false;
  options.num_variables = 3;
  options.max_states = 3;
  options.inputs = InputKind::kSparse;
  options.potentials = true;
  const TrainingSet untied = RandomProblem(random, options);
  CHECK(untied.data.example(0).structure().slots_are_orthogonal());
  CHECK(untied.data.example(0).structure().num_potentials() > 0);
}

}  // namespace
}  // namespace slackline::internal::test
