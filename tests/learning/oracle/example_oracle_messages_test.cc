// SPDX-License-Identifier: BSD-3-Clause
//
// Compares oracles by message passing, and by branch and bound from messages, with enumeration.
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/corner_answers.h"
#include "tests/support/dense_labellings.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("message passing gives labellings below and bounds above the maximum") {
  Random random(8);
  int best_found = 0;
  int calls = 0;
  int tightened = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const bool forest = trial % 2 == 0;
    const Problem problem(
        RandomProblem(random, forest ? SmallForest(random, 0) : SmallLoops(random)), 0.1);
    const std::vector<double> weights = SomeWeights(random, problem, trial);
    for (const auto effort : {Oracle::Effort::kTraining, Oracle::Effort::kChecking}) {
      Oracle oracle(problem, SolverKind::kMessages, effort);
      CHECK(oracle.relaxed());
      oracle.Refresh();
      for (Index m = 0; m < problem.size(); ++m) {
        const Labellings labellings = DenseLabellings(problem, m);
        const double best = LargestScore(labellings, AsVector(weights));
        const double room = Room(best);
        WarmStart warm;
        double first = kInfinity;
        for (int call = 0; call < 6; ++call) {
          const double known = Ask(problem, &oracle, m, weights, &warm, false).bound;
          const Answer answer = AskBoundAndCorner(problem, &oracle, m, weights, &warm);
          if (call == 0) first = known;
          CAPTURE(trial);
          CAPTURE(call);
          CHECK(known >= best - room);
          CHECK(answer.bound >= best - room);
          CHECK(answer.value <= best + room);
          CHECK(IsLabelling(labellings, answer));
          if (call < 5) continue;
          ++calls;
          best_found += answer.value >= best - room ? 1 : 0;
          tightened += answer.bound < first - room ? 1 : 0;
          CHECK(answer.bound <= first + room);
          if (forest) CHECK(Near(answer.bound, best, 1e-4));
        }
      }
    }
  }
  CHECK(best_found > 0.9 * calls);
  CHECK(tightened > 0);
}

TEST_CASE("branch and bound closes the gap of messages, in every call or on demand") {
  Random random(9);
  int open = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Problem problem(RandomProblem(random, SmallLoops(random)), 0.1);
    const std::vector<double> weights = SomeWeights(random, problem, trial);
    CAPTURE(trial);
    Oracle always(problem, SolverKind::kMessagesBranchAndBound, Oracle::Effort::kTraining);
    CheckExact(problem, &always, weights);
    Oracle demand(problem, SolverKind::kMessagesBranchAndBound, Oracle::Effort::kTraining,
                  Rescaling::kMargin, Oracle::Searches::kOnDemand);
    demand.Refresh();
    CHECK_FALSE(demand.relaxed());
    for (Index m = 0; m < problem.size(); ++m) {
      CHECK_FALSE(always.SearchesOnDemand(m));
      if (!demand.SearchesOnDemand(m)) continue;  // the graph is a forest
      const Labellings labellings = DenseLabellings(problem, m);
      const double best = LargestScore(labellings, AsVector(weights));
      WarmStart warm;
      const Answer quick = AskBoundAndCorner(problem, &demand, m, weights, &warm);
      CHECK(quick.bound >= best - Room(best));
      open += quick.bound > best + 1e-6 ? 1 : 0;
      bool complete = false;
      const Answer searched = AskSearch(problem, &demand, m, weights, &warm, &complete);
      CHECK(complete);
      CHECK(Near(searched.bound, best, kTight));
      CHECK(Near(searched.value, best, kTight));
      CHECK(IsLabelling(labellings, searched));
    }
  }
  CHECK(open > 3);
}

TEST_CASE("longer message passing on demand gives a labelling and a bound") {
  Random random(10);
  for (int trial = 0; trial < 20; ++trial) {
    const Problem problem(RandomProblem(random, SmallLoops(random)), 0.1);
    const std::vector<double> weights = SomeWeights(random, problem, trial);
    Oracle oracle(problem, SolverKind::kMessages, Oracle::Effort::kTraining, Rescaling::kMargin,
                  Oracle::Searches::kOnDemand);
    for (Index m = 0; m < problem.size(); ++m) {
      REQUIRE(oracle.SearchesOnDemand(m));
      const Labellings labellings = DenseLabellings(problem, m);
      const double best = LargestScore(labellings, AsVector(weights));
      const double room = Room(best);
      WarmStart warm;
      bool complete = true;
      const Answer answer = AskSearch(problem, &oracle, m, weights, &warm, &complete);
      CHECK_FALSE(complete);
      CHECK(answer.bound >= best - room);
      CHECK(answer.value <= best + room);
      CHECK(IsLabelling(labellings, answer));
    }
  }
}
