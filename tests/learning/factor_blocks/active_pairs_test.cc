// SPDX-License-Identifier: BSD-3-Clause
//
// Shrinking: compares visits of the active pairs with visits of all pairs.
#include <slackline/learning/factor_blocks/active_pairs.h>
#include <slackline/learning/factor_blocks/augmented_lagrangian.h>
#include <slackline/learning/factor_blocks/factor_blocks.h>
#include <slackline/learning/train_loop.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <tests/support/states.h>

#include "tests/support/multilabel_problems.h"
#include "tests/support/tolerances.h"
#include "tests/support/vectors.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr double kFewLabels = 5;  // threshold of RandomMultiLabelProblem

std::span<const double> State(const FactorBlocks& blocks, Index m) {
  return std::span(blocks.state(m), blocks.layout(m).size);
}

void CopyInto(FactorBlocks& from, FactorBlocks* to) { LoadAll(StateOf(from), *to); }

/// The total mass of the pairs on states other than (0,0).
double MassOff(const FactorBlocks& blocks, Index m) {
  const PairGroup& pairs = blocks.layout(m).pairs;
  double sum = 0;
  for (Offset k = pairs.count; k < 4 * static_cast<Offset>(pairs.count); ++k)
    sum += blocks.state(m)[pairs.mu + k];
  return sum;
}

}  // namespace

TEST_CASE("a visit of the active pairs equals a visit of all pairs unless a pair becomes active") {
  Random random(71);
  int visits = 0;
  int shrunk = 0;
  int grown = 0;
  int compared = 0;
  for (int trial = 0; trial < 6; ++trial) {
    // With such rare labels and small λ most labels of most points stay off.
    const Problem problem(RandomMultiLabelProblem(random, 10, 14, 8, true, 8),
                          trial % 2 == 0 ? 0.003 : 0.0002);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      for (const bool multipliers : {true, false}) {
        FactorBlocks blocks(problem, step, multipliers);
        blocks.set_rho(0.5);
        const double eta_step = multipliers ? 0.8 : 0;
        for (int pass = 0; pass < 60; ++pass) {
          Offset active = 0;
          Offset pairs = 0;
          for (Index m = 0; m < problem.size(); ++m) {
            blocks.VisitExample(m, eta_step);
            const std::vector<double> before(State(blocks, m).begin(), State(blocks, m).end());
            const ActivePairs::Counts counts = blocks.Shrink(m);
            active += counts.active;
            pairs += blocks.layout(m).pairs.count;
            CHECK(counts.woken <= counts.active);
            CHECK(LargestDifference(before, State(blocks, m)) == 0);
          }
          CHECK(active <= pairs);
          FactorBlocks all(problem, step, multipliers);
          CopyInto(blocks, &all);
          for (Index m = 0; m < problem.size(); ++m) {
            const std::int64_t steps = blocks.block_steps();
            blocks.VisitActive(m, eta_step);
            const Index all_blocks = problem.data().example(m).graph().num_blocks();
            shrunk += blocks.block_steps() - steps < all_blocks ? 1 : 0;
            ++visits;
            const double mass = MassOff(all, m);
            all.VisitExample(m, eta_step);
            // A visit of all pairs moves mass off (0,0) in an inactive pair with a gap; a visit of
            // the active pairs does not.
            const bool woken = std::abs(MassOff(all, m) - MassOff(blocks, m)) > 1e-12;
            grown += MassOff(blocks, m) > mass + 1e-9 ? 1 : 0;
            compared += woken ? 0 : 1;
            if (!woken) CHECK(LargestDifference(State(all, m), State(blocks, m)) <= 1e-11);
            CopyInto(blocks, &all);
          }
          const std::vector<double> kept(blocks.weights().begin(), blocks.weights().end());
          blocks.Rebuild();
          CHECK(LargestDifference(kept, blocks.weights()) <= 1e-11 * (1 + std::abs(kept[0])));
        }
      }
    }
  }
  CHECK(shrunk > visits / 8);  // Frank-Wolfe steps leave some mass on nearly all pairs
  CHECK(compared > 12000);
  CHECK(grown > 1000);  // pairs become active between two visits of all pairs
}

TEST_CASE("single steps and other regularisers continue from the state of active visits") {
  Random random(72);
  const Problem problem(RandomMultiLabelProblem(random, 12, 8, 4, true, kFewLabels), 0.05);
  const Problem other(problem.training(), 0.01);
  FactorBlocks blocks(problem, StepKind::kPairwise, true);
  blocks.set_rho(0.5);
  for (int pass = 0; pass < 40; ++pass) {
    for (Index m = 0; m < problem.size(); ++m) {
      if (pass % 4 == 0) {
        blocks.VisitExample(m, 1);
        blocks.Shrink(m);
      } else {
        blocks.VisitActive(m, 1);
      }
    }
    if (pass % 7 == 0) {
      for (Index m = 0; m < problem.size(); m += 2) {
        for (Index a = 0; a < problem.data().example(m).graph().num_parts(); ++a)
          blocks.StepBlock(m, a);
        blocks.UpdateMultipliers(m, 0.5);
      }
    }
    if (pass == 20) blocks.ChangeLambda(other);
  }
  const std::vector<double> kept(blocks.weights().begin(), blocks.weights().end());
  blocks.Rebuild();
  CHECK(LargestDifference(kept, blocks.weights()) <= 1e-10);
  for (Index m = 0; m < problem.size(); ++m) {
    const PairGroup& pairs = blocks.layout(m).pairs;
    for (Index k = 0; k < pairs.count; ++k) {
      double sum = 0;
      for (int y = 0; y < 4; ++y) {
        const double mu = blocks.state(m)[pairs.mu + static_cast<Offset>(y) * pairs.count + k];
        CHECK(mu >= 0);
        sum += mu;
      }
      CHECK(Near(sum, 1, kTight));
    }
  }
}

TEST_CASE("training with shrinking reaches the same optimum in fewer block steps") {
  Random random(73);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 60, 16, 6, true, 4.5), 0.02);
    TrainOptions options{
        .learner = LearnerKind::kAugmentedLagrangian, .gap_tolerance = 1e-4, .max_passes = 20000};
    const TrainSummary with = Train(problem, options);
    options.own<AugmentedLagrangianOptions>().shrinking = Switch::kOff;
    const TrainSummary without = Train(problem, options);
    CHECK(with.termination == Termination::kConverged);
    CHECK(without.termination == Termination::kConverged);
    CHECK(with.last.dual <= without.last.primal + kTight);
    CHECK(without.last.dual <= with.last.primal + kTight);
    CAPTURE(with.last.pass);
    CAPTURE(without.last.pass);
    CHECK(with.last.block_steps < without.last.block_steps);
  }
}

TEST_CASE("passes over all pairs become less frequent while few pairs become active") {
  ShrinkSchedule schedule;
  CHECK(schedule.VisitsAll());
  schedule.AfterAll({100, 0});
  CHECK(schedule.every() == 4);
  for (int pass = 0; pass < 3; ++pass) CHECK_FALSE(schedule.VisitsAll());
  CHECK(schedule.VisitsAll());
  schedule.AfterAll({100, 5});
  CHECK(schedule.every() == 4);
  schedule.AfterAll({100, 30});
  CHECK(schedule.every() == 2);
  schedule.AfterAll({100, 100});
  CHECK(schedule.every() == 2);
  for (int k = 0; k < 10; ++k) schedule.AfterAll({0, 0});
  CHECK(schedule.every() == 16);

  ShrinkSchedule copy;
  LoadAll(StateOf(schedule), copy);
  for (int pass = 0; pass < 40; ++pass) CHECK(copy.VisitsAll() == schedule.VisitsAll());
  schedule.Restart();
  CHECK(schedule.VisitsAll());
}
