// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/tightened_learner.h>

#include <doctest/doctest.h>

#include <slackline/inference/map_solver.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/run/path_trainer.h>

#include "bench/drawn/grid_problem.h"
#include "tests/support/learner_checks.h"
#include "tests/support/loose_grid.h"

namespace slackline::internal {

using namespace slackline::internal::test;

TEST_CASE("tightened, the optimum lies between the exact one and the relaxed one") {
  const TrainOptions tight{.certify = Certify::kTightened};
  const TrainOptions exact{.certify = Certify::kExact};
  for (const Index side : {2, 3}) {
    CAPTURE(side);
    const Problem problem = LooseGrid(0.03, 4, side, 4);
    const TrainSummary of_exact = Train(problem, exact);
    const TrainSummary of_tight = Train(problem, tight);
    const TrainSummary of_relaxed = Train(problem, {.certify = Certify::kRelaxed});
    for (const TrainSummary* run : {&of_exact, &of_tight, &of_relaxed})
      CHECK(run->termination == Termination::kConverged);
    CHECK(of_exact.last.dual <= of_tight.last.primal + kTight);
    CHECK(of_tight.last.dual <= of_relaxed.last.primal + kTight);
    if (side > 2) continue;
    // One factor over all four variables is exact, and the relaxation of pairs is not.
    CHECK(of_tight.last.dual <= of_exact.last.primal + kTight);
    CHECK(of_tight.last.primal < of_relaxed.last.dual);
  }

  // By other learners, after a change of λ, and resumed.
  const Problem problem = LooseGrid(0.1, 3, 6, 3);
  const TrainSummary first = Train(problem, tight);
  CHECK(first.termination == Termination::kConverged);
  const auto same_problem = [&](const TrainSummary& run) {
    CHECK(run.termination == Termination::kConverged);
    CHECK(run.last.dual <= first.last.primal + kTight);
    CHECK(first.last.dual <= run.last.primal + kTight);
  };
  PathTrainer path(problem, tight);
  path.Train(0.3, nullptr);
  same_problem(path.Train(0.1, nullptr));
  TrainOptions other{.learner = LearnerKind::kPdhg, .tighten = true};
  same_problem(Train(problem, other));
  Set(&other, "--learner bcfw --step pairwise --oracle lp-polytope");
  if (HasGlpk()) same_problem(Train(problem, other));
  CheckResumedAfter(5, problem, tight, first);
}

TEST_CASE("the bounds of the tightened problem are verified") {
  const Problem problem = LooseGrid(0.05, 2, 3, 3);
  const TrainOptions options{.certify = Certify::kTightened};
  const LearnerChoice choice = ChooseLearner(problem, options);
  CHECK(choice.options.learner == LearnerKind::kAugmentedLagrangian);
  CHECK(choice.options.tighten);
  const auto learner = MakeLearner(problem, options);
  learner->traits().dual_point->KeepDualPoint();
  const TrainSummary trained = RunTraining(problem, *learner, options, nullptr, nullptr);
  // Against an independent linear program over the tightened polytope.
  const Problem tightened = Tightened(problem);
  const double primal = RelaxedPrimal(tightened.training(), problem.lambda(), trained.weights);
  CHECK(trained.last.primal >= primal - kTight);
  CHECK(primal >= trained.last.dual - kTight);
  CHECK(primal >= ExactPrimal(problem.training(), problem.lambda(), trained.weights) - kTight);
  CHECK(VerifyCertificate(tightened, trained.weights, trained.last, choice.options,
                          learner->traits().dual_point)
            .outcome == VerifyOutcome::kHolds);
}

TEST_CASE("tightened training says where it does not apply") {
  TrainOptions options{.certify = Certify::kTightened};
  const Problem one_row = [] {
    return Problem(MakeGridProblem({.examples = 2, .rows = 1, .cols = 5, .states = 3}), 0.1);
  }();
  // Without cycles the relaxation is exact.
  CHECK(Train(one_row, options).last.problem == CertifiedProblem::kExact);
  CHECK_THROWS_WITH_AS(Train(LooseGrid(0.1, 2, 3, 9), options),
                       doctest::Contains("there is nothing to tighten"), DataError);
  options.order = OrderKind::kGap;
  CHECK_THROWS_WITH_AS(Train(LooseGrid(0.1), options), doctest::Contains("needs factor blocks"),
                       DataError);
}

}  // namespace slackline::internal
