// SPDX-License-Identifier: BSD-3-Clause
//
// Training with message passing and branch and bound where labellings do not reach the bounds: the
// oracle that `auto` chooses on graphs with cycles.
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_gram.h>
#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/oracle/example_oracle.h>

#include "bench/drawn/grid_problem.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Random labels on dense graphs with cycles and full tables, whose relaxations are rarely tight.
Problem Frustrated(int seed) {
  Random random(static_cast<std::uint64_t>(seed));
  return Problem(RandomProblem(random, {.num_examples = 5,
                                        .num_variables = 6,
                                        .num_factors = 12,
                                        .max_order = seed % 3 == 0 ? 3 : 2,
                                        .input_dimension = 4,
                                        .potts = false}),
                 0.02);
}

TrainOptions Automatic(double gap) { return {.gap_tolerance = gap, .max_passes = 20000}; }

Problem Grids() {
  return Problem(
      MakeGridProblem({.examples = 10, .rows = 8, .cols = 8, .states = 4, .features = 5}), 0.01);
}

}  // namespace

TEST_CASE("auto trains graphs with cycles to the optimum of the exact problem") {
  for (int seed = 1; seed <= 6; ++seed) {
    const Problem problem = Frustrated(seed);
    TrainOptions options = Automatic(1e-6);
    const LearnerChoice choice = ChooseLearner(problem, options);
    CHECK(choice.options.oracle == SolverKind::kMessagesBranchAndBound);
    const TrainSummary trained = Train(problem, options);
    CAPTURE(seed);
    CHECK(trained.termination == Termination::kConverged);
    CHECK(trained.last.problem == CertifiedProblem::kExact);

    TrainOptions exact = With(options, "--learner bcfw --step pairwise --oracle brute-force");
    const TrainSummary expected = Train(problem, exact);
    CHECK(trained.last.primal >= expected.last.dual - 1e-9);
    CHECK(trained.last.dual <= expected.last.primal + 1e-9);
    const Verification verified =
        VerifyCertificate(problem, trained.weights, trained.last, options, nullptr, {});
    CHECK_MESSAGE(verified.outcome == VerifyOutcome::kHolds, verified.message);
  }
}

TEST_CASE("learners with planes search in every call, and converge as well") {
  const Problem problem = Frustrated(2);
  for (const LearnerKind learner :
       {LearnerKind::kCuttingPlane1, LearnerKind::kCuttingPlaneN, LearnerKind::kBundle}) {
    TrainOptions options = Automatic(1e-4);
    options.learner = learner;
    options.oracle = SolverKind::kMessagesBranchAndBound;
    const TrainSummary trained = Train(problem, options);
    CAPTURE(Name(learner));
    CHECK(trained.termination == Termination::kConverged);
    const TrainSummary expected = Train(problem, Automatic(1e-6));
    CHECK(trained.last.primal >= expected.last.dual - 1e-9);
    CHECK(trained.last.dual <= expected.last.primal + 1e-9);
  }
}

TEST_CASE("messages alone leave a gap that searches close") {
  const Problem problem = Grids();
  TrainOptions options = With(Automatic(2e-4), "--max-passes 800");
  const TrainSummary searched = Train(problem, options);
  CHECK(searched.termination == Termination::kConverged);
  options.oracle = SolverKind::kMessages;
  const TrainSummary messages = Train(problem, options);
  CHECK(messages.termination == Termination::kMaxPasses);
  // The bounds of both runs belong to the exact problem: message passing finds labellings, and its
  // upper bounds cover all labellings.
  CHECK(messages.last.primal >= searched.last.dual);
  CHECK(messages.last.dual <= searched.last.primal);
}

TEST_CASE("abandoned searches get higher limits, call by call") {
  Random random(8);
  const Problem problem(RandomProblem(random, {.num_examples = 1,
                                               .num_variables = 60,
                                               .num_factors = 260,
                                               .tied_weights = false,
                                               .potts = false}),
                        0.01);
  std::vector<double> weights = Normals(random, problem.num_weights());
  std::vector<double> slots(SlotCoordinates(problem.data().example(0).structure()));
  SlotScores(problem.data().example(0), weights, slots);
  ExampleOracle oracle(problem, {.solver = SolverKind::kMessagesBranchAndBound});
  oracle.Refresh();
  WarmStart warm;
  SparseCorner corner;
  const double first = oracle.Maximise(0, slots, weights, &warm, true, &corner);
  double last = first;
  for (int call = 0; call < 100; ++call)
    last = oracle.Maximise(0, slots, weights, &warm, true, &corner);
  ExampleOracle demand(problem, {.solver = SolverKind::kMessagesBranchAndBound,
                                 .searches = ExampleOracle::Searches::kOnDemand});
  bool complete = true;
  demand.Search(0, slots, weights, 0, &warm, nullptr, &complete);
  CHECK_FALSE(complete);
  const double maximum = demand.Search(0, slots, weights, MessageBranchAndBound::kMostDoublings,
                                       &warm, nullptr, &complete);
  CHECK(complete);
  CHECK(first > maximum + 0.01);
  CHECK(last == doctest::Approx(maximum).epsilon(1e-9));
}

TEST_CASE("a run resumed after searches is the same bit for bit, for any number of threads") {
  const Problem problem = Grids();
  const TrainOptions options = ChooseLearner(problem, Automatic(0)).options;
  CheckTakeOver(problem, options, {120, 40, [](Learner& learner) { learner.Evaluate(1); }});
}

TEST_CASE("on graphs without searches, Search passes messages for longer and stores them") {
  const Problem problem = Grids();
  Random random(6);
  std::vector<double> weights = Normals(random, problem.num_weights());
  ExampleOracle messages(
      problem, {.solver = SolverKind::kMessages, .searches = ExampleOracle::Searches::kOnDemand});
  ExampleOracle exact(problem, {.solver = SolverKind::kBranchAndBound});
  CHECK(messages.relaxed());
  std::vector<double> slots;
  SparseCorner quick, longer, best;
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    slots.resize(SlotCoordinates(example.structure()));
    SlotScores(example, weights, slots);
    WarmStart warm;
    REQUIRE(messages.SearchesOnDemand(m));
    const double first = messages.Maximise(m, slots, weights, &warm, false, &quick);
    const std::vector<std::uint8_t> kept = warm.bytes;
    bool complete = true;
    const double bound = messages.Search(m, slots, weights, 0, &warm, &longer, &complete);
    CHECK_FALSE(complete);
    CHECK(warm.bytes != kept);
    CHECK(bound <= first + 1e-9);
    CHECK(bound >= exact.Maximise(m, slots, weights, nullptr, true, &best) - 1e-9);
  }
}
