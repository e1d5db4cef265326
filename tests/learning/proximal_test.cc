// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <slackline/learning/corner_blocks.h>
#include <slackline/learning/train_loop.h>

#include "tests/support/multilabel_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline;
using namespace slackline::test;

namespace {

/// The largest |w − (κ c + λ Ψα)/(κ + λ)|, and |CentreGap − λ/2 ‖w − Ψα‖²|.
struct Deviation {
  double weights = 0;
  double gap = 0;
};

Deviation Deviate(const CornerBlocks& blocks, const std::vector<double>& centre) {
  std::vector<double> point;
  blocks.WeightsOfPoint(&point);
  const double lambda = blocks.problem().lambda();
  const double kappa = blocks.kappa();
  Deviation deviation;
  double squared = 0;
  for (std::size_t k = 0; k < point.size(); ++k) {
    const double c = centre.empty() ? 0 : centre[k];
    const double w = blocks.weights()[k];
    deviation.weights =
        std::max(deviation.weights, std::abs(w - (kappa * c + lambda * point[k]) / (kappa + lambda)));
    squared += (w - point[k]) * (w - point[k]);
  }
  deviation.gap = std::abs(blocks.CentreGap() - 0.5 * lambda * squared);
  return deviation;
}

Index Passes(const Problem& problem, ProximalKind proximal) {
  TrainOptions options;
  options.learner = LearnerKind::kBcfw;
  options.step = StepKind::kPairwise;
  options.oracle = SolverKind::kRoof;
  options.proximal = proximal;
  options.max_passes = 2000;
  options.check_every = 1;
  const TrainSummary summary = Train(problem, options);
  CHECK(summary.termination == Termination::kConverged);
  return summary.last.pass;
}

}  // namespace

TEST_CASE("weights stay between the centre and the dual point") {
  Random random(61);
  for (const double lambda : {1.0, 0.01, 1e-4}) {
    const Problem problem(RandomMultiLabelProblem(random, 12, 4, 3, true), lambda);
    CornerOracle oracle(problem, SolverKind::kAuto, CornerOracle::Effort::kTraining);
    CornerBlocks blocks(problem, &oracle, StepKind::kPairwise, AverageKind::kOff);
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

TEST_CASE("a certified gap is the blocks' gaps and that of the centre") {
  Random random(62);
  const double lambda = 0.01;
  const Problem problem(RandomMultiLabelProblem(random, 15, 4, 3, true), lambda);
  CornerOracle oracle(problem, SolverKind::kRoof, CornerOracle::Effort::kTraining);
  CornerBlocks blocks(problem, &oracle, StepKind::kPairwise, AverageKind::kOff);
  blocks.MoveCentre(5 * lambda);
  for (int pass = 0; pass < 3; ++pass) {
    for (Index m = 0; m < problem.size(); ++m) blocks.Visit(m, true);
    blocks.MoveCentre(3 * lambda);
  }
  std::vector<double> point;
  const double loss = blocks.WeightsOfPoint(&point);
  const std::vector<double> weights(blocks.weights().begin(), blocks.weights().end());
  CornerOracle checker(problem, SolverKind::kRoof, CornerOracle::Effort::kChecking);
  checker.Refresh(weights);
  double hinge = 0;
  double product = 0;  // λ w·Ψα
  double squares = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    product += lambda * weights[k] * point[k];
    squares += 0.5 * lambda * (weights[k] * weights[k] + point[k] * point[k]);
  }
  std::vector<double> scores;
  for (Index m = 0; m < problem.size(); ++m) {
    WarmStart warm;
    hinge += blocks.HingeBound(m, weights, &checker, &warm, &scores) / problem.size();
  }
  const double block_gap = hinge - (loss - product);
  const double certified = hinge + squares - loss;  // P(w) − f(α)
  CHECK(block_gap > 0);
  CHECK(Near(certified, block_gap + blocks.CentreGap(), kTight));
}

TEST_CASE("a centre saves passes where the regulariser is weak, and costs few where it is not") {
  Random random(63);
  Index with = 0;
  Index without = 0;
  for (int trial = 0; trial < 5; ++trial) {
    const TrainingSet training = RandomMultiLabelProblem(random, 60, 5, 6, true);
    const Problem weak(training, 1e-3);
    with += Passes(weak, ProximalKind::kAuto);
    without += Passes(weak, ProximalKind::kOff);
    const Problem strong(training, 1);
    CHECK(Passes(strong, ProximalKind::kAuto) <= 3 * Passes(strong, ProximalKind::kOff) + 5);
  }
  CAPTURE(with);
  CAPTURE(without);
  CHECK(4 * with <= without);
}
