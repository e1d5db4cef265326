// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/learning/example_blocks/active_set_blocks.h>
#include <slackline/learning/step/proximal_control.h>
#include <slackline/learning/train_loop.h>
#include <tests/support/states.h>

#include "tests/support/never.h"

#include "tests/support/multilabel_problems.h"
#include "tests/support/option_text.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// The largest |w − (κ c + λ Ψα)/(κ + λ)|, and |CentreGap − λ/2 ‖w − Ψα‖²|.
struct Deviation {
  double weights = 0;
  double gap = 0;
};

Deviation Deviate(const ActiveSetBlocks& blocks, const std::vector<double>& centre) {
  std::vector<double> point;
  blocks.WeightsOfPoint(&point);
  const double lambda = blocks.problem().lambda();
  const double kappa = blocks.kappa();
  Deviation deviation;
  double squared = 0;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const double c = centre.empty() ? 0 : centre[k];
    const double w = blocks.weights()[k];
    deviation.weights = std::max(deviation.weights,
                                 std::abs(w - (kappa * c + lambda * point[k]) / (kappa + lambda)));
    squared += (w - point[k]) * (w - point[k]);
  }
  deviation.gap = std::abs(blocks.CentreGap() - 0.5 * lambda * squared);
  return deviation;
}

Index Passes(const Problem& problem, Switch proximal, LearnerKind learner) {
  TrainOptions options{.learner = learner, .step = StepKind::kPairwise};
  if (learner == LearnerKind::kBcfw) options.oracle = SolverKind::kRoof;
  options.proximal = proximal;
  Set(&options, "--max-passes 20000 --check-every 1");
  const TrainSummary summary = Train(problem, options);
  CHECK(summary.termination == Termination::kConverged);
  return summary.last.pass;
}

}  // namespace

TEST_CASE("weights are a combination of the centre and the dual point") {
  Random random(61);
  for (const double lambda : {1.0, 0.01, 1e-4}) {
    const Problem problem(RandomMultiLabelProblem(random, 12, 4, 3, true), lambda);
    ExampleOracle oracle(problem, {.solver = SolverKind::kAuto});
    ActiveSetBlocks blocks(problem, &oracle, StepKind::kPairwise);
    CHECK(blocks.CentreGap() == 0);
    std::vector<double> centre;
    for (const double kappa : {3.0, 0.1, 10.0, 0.0, 0.0, 2.0}) {
      centre.assign(blocks.weights().begin(), blocks.weights().end());
      std::vector<double> before, after;
      blocks.WeightsOfPoint(&before);
      blocks.MoveCentre(kappa * lambda);
      blocks.WeightsOfPoint(&after);
      CHECK(before == after);
      for (Index m = 0; m < problem.size(); ++m) blocks.Visit(m, true);
      for (Index m = 0; m < problem.size(); ++m) blocks.Visit(m, false);
      const double scale = std::max(1.0, 1e-3 / lambda);
      Deviation deviation = Deviate(blocks, centre);
      CHECK(deviation.weights <= 1e-9 * scale);
      CHECK(deviation.gap <= 1e-9 * scale);
      blocks.Rebuild();
      deviation = Deviate(blocks, centre);
      CHECK(deviation.weights <= 1e-12 * scale);
    }
  }
}

TEST_CASE("a certified gap is the sum of the gaps of blocks and centre") {
  Random random(62);
  const double lambda = 0.01;
  const Problem problem(RandomMultiLabelProblem(random, 15, 4, 3, true), lambda);
  ExampleOracle oracle(problem, {.solver = SolverKind::kRoof});
  ActiveSetBlocks blocks(problem, &oracle, StepKind::kPairwise);
  blocks.MoveCentre(5 * lambda);
  for (int pass = 0; pass < 3; ++pass) {
    for (Index m = 0; m < problem.size(); ++m) blocks.Visit(m, true);
    blocks.MoveCentre(3 * lambda);
  }
  const std::vector<double> weights(blocks.weights().begin(), blocks.weights().end());
  ExampleOracle checker(problem,
                        {.solver = SolverKind::kRoof, .effort = ExampleOracle::Effort::kChecking});
  checker.Refresh();
  double block_gap = 0;
  double hinge = 0;
  ActiveSetBlocks::CheckScratch scratch;
  std::vector<double> marginals, given, at_weights;
  for (Index m = 0; m < problem.size(); ++m) {
    const double bound = blocks.HingeBound(m, weights, &checker, &scratch);
    // Δ·μ − w·ψ(μ), from the example's own coordinates.
    const ExampleView example = problem.data().example(m);
    double reached = blocks.PointOfExample(m, &marginals);
    given.assign(marginals.size(), 0.0);
    AddLabellingFeatures(example, example.labels(), 1, given);
    at_weights.resize(marginals.size());
    CoordinateScores(example, weights, at_weights);
    for (std::size_t k = 0; k < marginals.size(); ++k)
      reached -= at_weights[k] * (given[k] - marginals[k]);
    CHECK(bound >= reached - kTight);
    hinge += bound / problem.size();
    block_gap += (bound - reached) / problem.size();
  }
  std::vector<double> point;
  const double loss = blocks.WeightsOfPoint(&point);
  const double primal = Regulariser(lambda, weights) + hinge;
  const double dual = loss - Regulariser(lambda, point);
  CHECK(block_gap > 0);
  CHECK(blocks.CentreGap() > 0);
  CHECK(Near(primal - dual, block_gap + blocks.CentreGap(), kTight));
}

TEST_CASE("a centre saves passes with weak regularisation, and costs few otherwise") {
  struct Case {
    LearnerKind learner;
    std::uint64_t seed;
    int trials;
    Index saved;           // passes saved with small λ, as a factor
    Index factor, offset;  // allowed passes with large λ
  };
  for (const Case& c : {Case{LearnerKind::kBcfw, 63, 5, 4, 3, 5},
                        Case{LearnerKind::kAugmentedLagrangian, 66, 4, 3, 2, 10}}) {
    Random random(c.seed);
    Index with = 0;
    Index without = 0;
    for (int trial = 0; trial < c.trials; ++trial) {
      const TrainingSet training = RandomMultiLabelProblem(random, 60, 5, 6, true);
      const Problem weak(training, 1e-3);
      with += Passes(weak, Switch::kAuto, c.learner);
      without += Passes(weak, Switch::kOff, c.learner);
      const Problem strong(training, 1);
      CHECK(Passes(strong, Switch::kAuto, c.learner) <=
            c.factor * Passes(strong, Switch::kOff, c.learner) + c.offset);
    }
    CAPTURE(with);
    CAPTURE(without);
    CHECK(c.saved * with <= without);
  }
}

TEST_CASE("kappa follows the two parts of the gap") {
  constexpr double kLambda = 0.5;
  ProximalControl control;
  double gap = 1;
  const auto next = [&](double kappa, double blocks, double centre) {
    gap *= 0.5;  // the gap always falls
    return control.AfterPass(kLambda, kappa, blocks * gap, centre * gap).value();
  };
  CHECK(next(1, 1, 1) == 1);
  CHECK(next(1, 1, 1.5) == 1);
  CHECK(next(1, 1.5, 1) == 1);
  CHECK(next(1, 1, 4) == doctest::Approx(0.5));
  CHECK(next(1, 1, 1e6) == doctest::Approx(0.3));
  CHECK(next(1, 1e6, 1) == doctest::Approx(1.5));
  CHECK(next(1, 1, 0) == doctest::Approx(1.5));
  CHECK(next(1, 0, 1) == doctest::Approx(0.3));
  CHECK(next(0.1, 0, 1) == 0);  // below a tenth of λ a centre is useless
  CHECK(next(1e6 * kLambda, 1e6, 1) == 1e6 * kLambda);
}

TEST_CASE("while the gap does not fall, the centre moves less often") {
  ProximalControl control;
  CHECK(control.hold() == 1);
  int moves = 0;
  for (int pass = 0; pass < 1000; ++pass)
    moves += control.AfterPass(1, 1, 1, 0.9).has_value() ? 1 : 0;
  CHECK(control.hold() >= 32);
  CHECK(moves < 200);
  CHECK(moves > 20);
  // But where only the centre keeps the gap up, it moves in every pass.
  for (int pass = 0; pass < 10; ++pass) CHECK(control.AfterPass(1, 1, 0.9, 1).has_value());

  ProximalControl copy;
  LoadAll(StateOf(control), copy);
  for (int pass = 0; pass < 300; ++pass) {
    CHECK(copy.AfterPass(1, 1, 1, 0.9).has_value() == control.AfterPass(1, 1, 1, 0.9).has_value());
    CHECK(copy.hold() == control.hold());
  }
}

TEST_CASE("the first kappa is small where weights can be large") {
  Random random(64);
  const TrainingSet training = RandomMultiLabelProblem(random, 20, 4, 5, true);
  CHECK(FirstKappa(Problem(training, 1e-4)) == 2e-4);
  const double largest = FirstKappa(Problem(training, 1e6));
  CHECK(largest > 0);
  CHECK(largest < 2e6);
  CHECK(FirstKappa(Problem(training, 2e6)) == largest);
}

TEST_CASE("the first kappa grows where examples outnumber weights") {
  JointScales scales{.num_examples = 80'000, .num_parts = 160'000};
  scales.mean_squared_range = 8;  // 16 per example
  scales.primal_at_zero = 2;
  const double natural = 16 / (80'000 * 2.0);
  CHECK(MostFirstKappa(natural / 4, scales, 10'000) == doctest::Approx(2 * 2));
  CHECK(MostFirstKappa(natural / 100, scales, 10'000) == doctest::Approx(2 * 10));
  CHECK(MostFirstKappa(natural * 100, scales, 10'000) == 2);
  CHECK(MostFirstKappa(natural / 100, scales, 40'001) == 2);
  // Larger features need weaker weights: κ and λ grow alike.
  scales.mean_squared_range *= 9;
  CHECK(MostFirstKappa(9 * natural / 4, scales, 10'000) == doctest::Approx(2 * 2));

  Random random(66);
  const TrainingSet training = RandomMultiLabelProblem(random, 400, 3, 2, true);
  const Problem problem(training, 1e-4);
  REQUIRE(problem.size() >= 4 * problem.num_weights());
  const double most =
      MostFirstKappa(1e-4, JointScalesOf(problem, TrainOptions()), problem.num_weights());
  CHECK(most > 4);
  CHECK(FirstKappa(problem) == FirstKappa(problem, most));
}

TEST_CASE("the point after a cut or partial pass can be evaluated") {
  Random random(65);
  const Problem problem(RandomMultiLabelProblem(random, 40, 5, 6, true), 0.01);
  TrainOptions options{
      .learner = LearnerKind::kBcfw, .step = StepKind::kPairwise, .oracle = SolverKind::kRoof};
  {
    const auto learner = MakeLearner(problem, options);
    const std::atomic<int> interrupt(1);  // cuts the pass after its first example
    learner->RunPass(StopControl(&interrupt, 0));
    learner->Evaluate(1);
    CHECK(learner->work().oracle_calls == 1);
    double norm = 0;
    for (const double w : learner->weights()) norm += w * w;
    CHECK(norm > 0);
  }
  // With draws with replacement, some examples are not drawn for several passes.
  options.order = OrderKind::kUniform;
  const auto learner = MakeLearner(problem, options);
  for (int pass = 0; pass < 2; ++pass) learner->RunPass(kNever);
  CHECK(learner->Evaluate(1).primal < PrimalAtZeroWeights(problem));
}
