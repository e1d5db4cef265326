// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/map_solver.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("solver names are parsed and printed, and unknown names refused with the choices") {
  for (const SolverKind kind :
       {SolverKind::kAuto, SolverKind::kLp, SolverKind::kLpPolytope, SolverKind::kTree,
        SolverKind::kBruteForce, SolverKind::kBranchAndBound}) {
    CHECK(ParseSolverKind(SolverKindName(kind)) == kind);
  }
  CHECK_THROWS_WITH_AS(ParseSolverKind("LP"),
                       "unknown solver 'LP'; choose from auto, roof, messages, "
                       "messages-branch-and-bound, lp, lp-polytope, tree, brute-force, "
                       "branch-and-bound, expansion, global",
                       DataError);
  CHECK_THROWS_AS(ParseSolverKind(""), DataError);
}

TEST_CASE("old solver names are still read, and checkpoints use them") {
  CHECK(ParseSolverKind("search") == SolverKind::kBranchAndBound);
  CHECK(ParseSolverKind("messages-search") == SolverKind::kMessagesBranchAndBound);
  CHECK(SolverKindName(SolverKind::kBranchAndBound) == "branch-and-bound");
  CHECK(SolverKindName(SolverKind::kMessagesBranchAndBound) == "messages-branch-and-bound");
  CHECK(SolverKindNameInFiles(SolverKind::kBranchAndBound) == "search");
  CHECK(SolverKindNameInFiles(SolverKind::kMessagesBranchAndBound) == "messages-search");
  CHECK(SolverKindNameInFiles(SolverKind::kRoof) == "roof");
}

TEST_CASE("solvers are created by kind") {
  CHECK(MakeMapSolver(SolverKind::kTree, Grid(1, 4, 2))->name() == "tree");
  CHECK(MakeMapSolver(SolverKind::kBruteForce, FullBinary(3))->name() == "brute-force");
  CHECK(MakeMapSolver(SolverKind::kBranchAndBound, FullBinary(3))->name() == "branch-and-bound");
  CHECK_FALSE(MakeMapSolver(SolverKind::kBranchAndBound, FullBinary(3))->relaxed());
  CHECK_THROWS_AS(MakeMapSolver(SolverKind::kTree, FullBinary(3)), DataError);
  CHECK_THROWS_AS(MakeMapSolver(SolverKind::kBruteForce, FullBinary(25)), DataError);
  CHECK_THROWS_AS(MakeMapSolver(SolverKind::kTree, nullptr), std::invalid_argument);
  if (HasGlpk()) {
    CHECK(MakeMapSolver(SolverKind::kLp, FullBinary(3))->name() == "lp");
    CHECK(MakeMapSolver(SolverKind::kLp, FullBinary(3))->relaxed());
  } else {
    CHECK_THROWS_AS(MakeMapSolver(SolverKind::kLp, FullBinary(3)), DataError);
  }
}

TEST_CASE(
    "automatic choice: the tree on forests, roof duality on binary pairs, else the LP, else an "
    "exact branch and bound") {
  CHECK(MakeMapSolver(SolverKind::kAuto, Grid(1, 50, 3))->name() == "tree");
  CHECK(MakeMapSolver(SolverKind::kAuto, FullBinary(0))->name() == "tree");
  CHECK(MakeMapSolver(SolverKind::kAuto, FullBinary(3))->name() == "roof");
  CHECK(MakeMapSolver(SolverKind::kAuto, Cycle(3, 3))->name() == (HasGlpk() ? "lp" : "messages"));
  CHECK(MakeMapSolver(SolverKind::kAuto, Grid(20, 20, 10))->name() == "messages");
}

TEST_CASE("all exact solvers agree") {
  Random random(71);
  for (int number = 0; number < 40; ++number) {
    const GraphPtr graph = RandomForest(random, 6, 3);
    const std::vector<double> scores = SmallScores(random, *graph, number);
    std::vector<double> values;
    for (const SolverKind kind : {SolverKind::kAuto, SolverKind::kTree, SolverKind::kBruteForce,
                                  SolverKind::kBranchAndBound}) {
      const MapResult result = Solved(*MakeMapSolver(kind, graph), scores);
      values.push_back(result.value);
    }
    for (const double value : values) CHECK(Near(value, values[0], kExact));
  }
}
