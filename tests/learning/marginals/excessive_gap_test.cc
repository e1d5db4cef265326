// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/marginals/excessive_gap.h>

#include <doctest/doctest.h>

#include "tests/support/forest_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// The certified gap after the given number of passes.
double GapAfter(const Problem& problem, Index passes) {
  TrainOptions options = Options(LearnerKind::kExcessiveGap, StepKind::kAuto, 0);
  options.check_every = passes;
  options.max_passes = passes;
  const TrainSummary summary = Train(problem, options);
  return summary.last.primal - summary.last.dual;
}

}  // namespace

TEST_CASE("excessive gap comes near the optimum of quadratic programs") {
  CheckComesNear(LearnerKind::kExcessiveGap, {1.0, 0.1, 0.02}, 1e-4);
}

TEST_CASE("the gap falls with the square of the number of passes") {
  Random random(2);
  double early = 0;
  double late = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, false), 0.05);
    early += GapAfter(problem, 40);
    late += GapAfter(problem, 320);
  }
  // The bound falls by a factor of 64; half of that is required.
  CHECK(early > 0);
  CHECK(late <= early / 32);
}

TEST_CASE("a pass is one sweep unless the condition breaks") {
  // L doubles about once in the seven passes in which it falls by half.
  CheckSweeps(LearnerKind::kExcessiveGap, 200, 1, 260, 3);
}
