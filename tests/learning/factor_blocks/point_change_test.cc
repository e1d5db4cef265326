// SPDX-License-Identifier: BSD-3-Clause
//
// The penalized dual along the change of a round, and the end of a round.
#include <slackline/learning/factor_blocks/point_change.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/learning/factor_blocks/factor_certificate.h>

#include "tests/support/agreement.h"
#include "tests/support/global_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Copies of the points of all examples.
struct Points {
  explicit Points(const FactorBlocks& blocks) {
    for (Index m = 0; m < blocks.problem().size(); ++m) {
      const FactorBlocks::ExamplePoint point = blocks.Point(m);
      states.emplace_back(point.state.begin(), point.state.end());
      corners.emplace_back(point.corners.begin(), point.corners.end());
    }
  }
  FactorBlocks::ExamplePoint of(Index m) const { return {states[Size(m)], corners[Size(m)]}; }

  std::vector<std::vector<double>> states;
  std::vector<std::vector<GlobalCorners>> corners;
};

/// The penalized dual without the weights, times M.
double ValueWithoutWeights(const FactorBlocks& blocks) {
  DualMixture mixture(blocks.problem().lambda());
  std::vector<double> weights;
  const FactorEvaluation point = EvaluateFactorBlocks(blocks, 1, &weights, &mixture);
  return (point.soft_dual + Regulariser(blocks.problem().lambda(), weights)) *
         blocks.problem().size();
}

void Visit(FactorBlocks* blocks, double eta_step, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    for (Index m = 0; m < blocks->problem().size(); ++m) blocks->VisitExample(m, eta_step);
  }
}

/// Checks the value and the state after a round of which only a share is kept.
void CheckRound(const Problem& problem, StepKind step, bool multipliers, double smoothing) {
  for (const double share : {0.0, 0.3, 1.0}) {
    FactorBlocks blocks(problem, step, multipliers);
    blocks.set_rho(0.7);
    blocks.set_smoothing(smoothing);
    Visit(&blocks, multipliers ? 0.5 : 0, 4);
    const Points before(blocks);
    const double value = ValueWithoutWeights(blocks);
    Visit(&blocks, 0, 2);
    PointChange change;
    for (Index m = 0; m < problem.size(); ++m) {
      const PointChange of_example = ChangeOfPoint(blocks, m, before.states[Size(m)]);
      change.slope += of_example.slope;
      change.curvature += of_example.curvature;
    }
    const Points after(blocks);
    CAPTURE(share);
    CAPTURE(multipliers);
    CAPTURE(smoothing);
    CHECK(change.curvature >= 0);
    CHECK(Near(ValueWithoutWeights(blocks), value + change.slope - 0.5 * change.curvature, kTight));
    for (Index m = 0; m < problem.size(); ++m) blocks.EndRound(m, before.of(m), share, 0);
    CHECK(Near(ValueWithoutWeights(blocks),
               value + share * change.slope - 0.5 * share * share * change.curvature, kTight));
    double most = 0;
    for (Index m = 0; m < problem.size(); ++m) {
      for (std::size_t k = 0; k < before.states[Size(m)].size(); ++k) {
        const double mixed = before.states[Size(m)][k] +
                             share * (after.states[Size(m)][k] - before.states[Size(m)][k]);
        most = std::max(most, std::abs(blocks.state(m)[k] - mixed));
      }
    }
    CHECK(most <= kExact);
    // Active sets and stored marginals belong to the same point.
    const Points mixed(blocks);
    blocks.Rebuild();
    for (Index m = 0; m < problem.size(); ++m) {
      for (std::size_t k = 0; k < mixed.states[Size(m)].size(); ++k)
        most = std::max(most, std::abs(blocks.state(m)[k] - mixed.states[Size(m)][k]));
      for (const GlobalCorners& corners : blocks.Point(m).corners) {
        for (const double own : corners.share) CHECK(own > 0);
      }
    }
    CHECK(most <= kTight);
  }
}

}  // namespace

TEST_CASE("the dual along a round is the quadratic function of its slope and curvature") {
  Random random(61);
  for (int trial = 0; trial < 12; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    CAPTURE(trial);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      CheckRound(problem, step, false, 0);
      CheckRound(problem, step, false, 0.2);
      CheckRound(problem, step, true, 0);
    }
  }
}

TEST_CASE("rounds mix the active sets of global factors") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Problem problem(RandomGlobalProblem(seed, {}), 0.1);
    CAPTURE(seed);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      CheckRound(problem, step, false, 0);
      CheckRound(problem, step, true, 0);
    }
  }
}

TEST_CASE("the end of a round updates multipliers, and keeps the active pairs") {
  Random random(62);
  Index in_use = 0;
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 10, 8, 4, true, 5), 0.05);
    FactorBlocks rounds(problem, StepKind::kPairwise, true);
    FactorBlocks visits(problem, StepKind::kPairwise, true);
    for (FactorBlocks* blocks : {&rounds, &visits}) blocks->set_rho(0.5);
    // With whole shares, a round of one visit is a visit with an update.
    for (int pass = 0; pass < 30; ++pass) {
      const bool all = pass % 3 == 0;
      const std::int64_t steps = rounds.block_steps();
      for (Index m = 0; m < problem.size(); ++m) {
        const Points before(rounds);
        if (all) {
          rounds.VisitExample(m, 0);
          visits.VisitExample(m, 0.6);
        } else {
          rounds.VisitActive(m, 0);
          visits.VisitActive(m, 0.6);
        }
        rounds.EndRound(m, before.of(m), 1, 0.6);
        if (!all) continue;
        const ActivePairs::Counts one = rounds.Shrink(m);
        const ActivePairs::Counts other = visits.Shrink(m);
        CHECK(one.active == other.active);
        CHECK(one.woken == other.woken);
      }
      if (rounds.block_steps() - steps < problem.size() * 36) ++in_use;
      double most = 0;
      for (Index m = 0; m < problem.size(); ++m) {
        const FactorBlocks::ExamplePoint one = rounds.Point(m);
        const FactorBlocks::ExamplePoint other = visits.Point(m);
        for (std::size_t k = 0; k < one.state.size(); ++k)
          most = std::max(most, std::abs(one.state[k] - other.state[k]));
      }
      CAPTURE(pass);
      CHECK(most <= kTight);
    }
  }
  CHECK(in_use > 10);
}
