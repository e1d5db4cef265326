// SPDX-License-Identifier: BSD-3-Clause
//
// Scores of −∞: exact solvers find the best allowed labelling. For the other solvers see
// presolve_test.cc.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/inference/branch_and_bound.h>
#include <slackline/inference/decode.h>
#include <slackline/inference/map_solver.h>
#include <slackline/inference/pair_forest.h>
#include <slackline/inference/presolve.h>
#include <slackline/inference/rounding.h>
#include <slackline/inference/tree_dp.h>

#include "tests/core/messages.h"
#include "tests/support/all_labellings.h"
#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Scores = std::vector<double>;

/// The best allowed labelling by a plain loop; value −∞ when there is none. variable ≥ 0: among the
/// labellings with this state of the variable.
MapResult BestAllowed(const FactorGraph& graph, const Scores& scores, Index variable = -1,
                      Index state = -1) {
  MapResult best;
  best.value = -kInfinity;
  for (const auto& labels : AllLabellings(graph.cardinalities())) {
    const bool counts = variable < 0 || labels[variable] == state;
    const double value = test::LabellingScore(graph, scores, labels);
    if (counts && value > best.value) {
      best.value = value;
      best.labels = labels;
    }
  }
  return best;
}

/// Sets a random share of the scores of all parts to −∞.
void Forbid(Random& random, double share, Scores* scores) {
  for (double& score : *scores) {
    if (random.Uniform() < share) score = -kInfinity;
  }
}

/// Sets the scores of all joint states of factor c but one to −∞.
void AllowOne(Random& random, const FactorGraph& graph, Index c, Scores* scores) {
  const std::size_t begin = graph.factor_offset(c);
  const std::size_t states = graph.factor_states(c);
  const std::size_t kept = random.Below(states);
  for (std::size_t s = 0; s < states; ++s) {
    if (s != kept) (*scores)[begin + s] = -kInfinity;
  }
}

void AllowOneState(Random& random, const FactorGraph& graph, Index i, Scores* scores) {
  const std::size_t begin = graph.state_offset(i);
  const std::size_t states = graph.cardinality(i);
  const std::size_t kept = random.Below(states);
  for (std::size_t s = 0; s < states; ++s) {
    if (s != kept) (*scores)[begin + s] = -kInfinity;
  }
}

GraphPtr Star(Index leaves, Index states) {
  FactorGraphBuilder builder;
  builder.AddVariables(leaves + 1, states);
  for (Index i = 1; i <= leaves; ++i)
    builder.AddFactor(i % 2 == 0 ? std::vector{0, i} : std::vector{i, 0});
  return builder.Build();
}

/// In turn: chains, stars, forests with factors of any order.
GraphPtr SomeForest(Random& random, int number) {
  switch (number % 4) {
    case 0:
      return Grid(1, 1 + number % 6, 2 + number % 3);
    case 1:
      return Star(number % 5, 2 + number % 2);
    default:
      return RandomForest(random, 1 + number % 7, 1 + number % 4);
  }
}

/// Random scores of which some are −∞, or all but one in a table.
Scores SomeScores(Random& random, const FactorGraph& graph, int number) {
  Scores scores =
      number % 2 == 0 ? RandomScores(random, graph, 2) : RandomIntegerScores(random, graph, 1);
  Forbid(random, number % 3 == 0 ? 0.1 : 0.3, &scores);
  if (number % 5 == 0 && graph.num_factors() > 0)
    AllowOne(random, graph,
             static_cast<Index>(random.Below(static_cast<std::uint64_t>(graph.num_factors()))),
             &scores);
  if (number % 7 == 0) AllowOneState(random, graph, graph.num_variables() / 2, &scores);
  return scores;
}

/// Compares a solver with the plain loop. Returns whether some labelling was allowed.
bool Agrees(MapSolver& solver, const FactorGraph& graph, const Scores& scores) {
  const MapResult expected = BestAllowed(graph, scores);
  MapResult result;
  if (expected.value == -kInfinity) {
    CHECK(Contains(MessageOf<DataError>([&] { solver.Solve(scores, nullptr, &result); }),
                   "no labelling is allowed"));
    return false;
  }
  solver.Solve(scores, nullptr, &result);
  CHECK(Near(result.value, expected.value, kExact));
  CHECK(Near(test::LabellingScore(graph, scores, result.labels), expected.value, kExact));
  CHECK(result.upper_bound == result.value);
  CHECK(result.integral);
  CHECK(result.exact);
  return true;
}

/// A separate table for each factor.
std::vector<Index> OwnTables(const FactorGraph& graph) {
  std::vector<Index> tables;
  for (Index c = 0; c < graph.num_factors(); ++c) tables.push_back(c);
  return tables;
}

void Fill(PairForest* forest, const FactorGraph& graph, const Scores& scores) {
  std::copy_n(scores.begin(), graph.variable_states(), forest->variable_scores().begin());
  for (Index c = 0; c < graph.num_factors(); ++c) {
    forest->SetTable(c, std::span(scores).subspan(graph.factor_offset(c), graph.factor_states(c)));
  }
}

}  // namespace

TEST_CASE(
    "dynamic programming, enumeration and branch and bound find the best allowed labelling of "
    "forests") {
  Random random(81);
  int allowed = 0;
  for (int number = 0; number < 300; ++number) {
    CAPTURE(number);
    const GraphPtr graph = SomeForest(random, number);
    const Scores scores = SomeScores(random, *graph, number / 4);
    for (const SolverKind kind :
         {SolverKind::kTree, SolverKind::kBruteForce, SolverKind::kBranchAndBound}) {
      const auto solver = MakeMapSolver(kind, graph);
      allowed += Agrees(*solver, *graph, scores);
      // The solver keeps nothing of the call before.
      CHECK(Agrees(*solver, *graph, Scores(scores.size(), 0.0)));
    }
  }
  CHECK(allowed > 300);
  CHECK(allowed < 800);
}

TEST_CASE(
    "enumeration and branch and bound support forbidden states with cycles and large scores") {
  Random random(82);
  int allowed = 0;
  for (int number = 0; number < 240; ++number) {
    CAPTURE(number);
    const GraphPtr graph = SmallGraph(random, number);
    Scores scores = SmallScores(random, *graph, number / 12);
    for (double& score : scores)
      score = score * (number % 5 == 0 ? 1e6 : 1) + (number % 7 == 0 ? 1e3 : 0);
    Forbid(random, 0.15, &scores);
    for (const SolverKind kind : {SolverKind::kBruteForce, SolverKind::kBranchAndBound})
      allowed += Agrees(*MakeMapSolver(kind, graph), *graph, scores);
  }
  CHECK(allowed > 100);
}

TEST_CASE("a truncated search has bounds") {
  Random random(83);
  const GraphPtr graph = FullBinary(9);
  int stopped = 0;
  const auto make = [](GraphPtr part) {
    return std::make_unique<BranchAndBoundSolver>(std::move(part),
                                                  BranchAndBoundOptions{.node_limit = 2});
  };
  for (int number = 0; number < 40; ++number) {
    CAPTURE(number);
    Scores scores = DenseBinaryScores(random, *graph, 100);
    Forbid(random, 0.05, &scores);
    const MapResult expected = BestAllowed(*graph, scores);
    if (expected.value == -kInfinity) continue;
    const MapResult result = Solved(*MakePresolvedSolver(graph, make), scores);
    CHECK(result.value <= expected.value + kTight * std::abs(expected.value));
    CHECK(result.upper_bound >= expected.value - kTight * std::abs(expected.value));
    CHECK(Near(test::LabellingScore(*graph, scores, result.labels), result.value, kExact));
    ++stopped;
  }
  CHECK(stopped > 0);
}

TEST_CASE("on forests of pairs labellings agree with dynamic programming") {
  Random random(84);
  int allowed = 0;
  for (int number = 0; number < 200; ++number) {
    CAPTURE(number);
    const Index states = 1 + number % 7;
    const GraphPtr graph =
        number % 2 == 0 ? Grid(1, 1 + number % 5, states) : Star(number % 4, states);
    Scores scores = SomeScores(random, *graph, number / 3);
    // Potts tables have their own code path.
    for (Index c = 0; number % 4 == 1 && c < graph->num_factors(); ++c) {
      for (Index joint = 0; joint < states * states; ++joint)
        scores[graph->factor_offset(c) + joint] =
            (joint % (states + 1) == 0) == (number % 8 == 1) ? -kInfinity : 1;
    }
    PairForest forest(graph, OwnTables(*graph));
    Fill(&forest, *graph, scores);
    std::vector<Index> labels(graph->num_variables());
    const MapResult expected = BestAllowed(*graph, scores);
    if (expected.value == -kInfinity) {
      CHECK_THROWS_AS(forest.Maximise(labels), DataError);
      continue;
    }
    ++allowed;
    CHECK(Near(forest.Maximise(labels), expected.value, kExact));
    const MapResult tree = Solved(TreeSolver(graph), scores);
    CHECK(labels == tree.labels);
  }
  CHECK(allowed > 60);
}

TEST_CASE("max-marginals are -infinity where no labelling with the state is allowed, else exact") {
  Random random(85);
  int forbidden = 0;
  for (int number = 0; number < 200; ++number) {
    CAPTURE(number);
    const bool forest = number % 2 == 0;
    const GraphPtr graph = forest ? SomeForest(random, number / 2) : SmallGraph(random, number / 2);
    if (graph->num_variables() == 0) continue;
    Scores scores = RandomScores(random, *graph, 1);
    Forbid(random, 0.15, &scores);
    Scores out(graph->variable_states());
    Decoder decoder(DecodeKind::kAuto, graph);
    if (BestAllowed(*graph, scores).value == -kInfinity) {
      CHECK_THROWS_AS(decoder.MaxMarginalTables(scores, out), DataError);
      continue;
    }
    decoder.MaxMarginalTables(scores, out);
    for (Index i = 0; i < graph->num_variables(); ++i) {
      for (Index s = 0; s < graph->cardinality(i); ++s) {
        const double expected = BestAllowed(*graph, scores, i, s).value;
        const double found = out[graph->state_offset(i) + s];
        forbidden += expected == -kInfinity;
        CHECK((expected == -kInfinity ? found == -kInfinity : Near(found, expected, kTight)));
      }
    }
    const MapResult result = Decoded(decoder, scores);
    CHECK(result.exact);
  }
  CHECK(forbidden > 50);
}

TEST_CASE("differences of max-marginals say which label is forced") {
  const GraphPtr graph = Grid(1, 2, 2);
  Scores scores = {0, 1, 2, 0, 0, 0, -kInfinity, -kInfinity};  // state 1 may not come first
  Scores differences(2);
  Decoder(DecodeKind::kAuto, graph).MaxMarginals(scores, differences);
  CHECK(differences == Scores{-kInfinity, -2});
  scores[2] = -kInfinity;
  Decoder(DecodeKind::kAuto, graph).MaxMarginals(scores, differences);
  CHECK(differences == Scores{-kInfinity, kInfinity});
}

TEST_CASE("local improvement moves away from forbidden states") {
  const GraphPtr graph = Grid(1, 3, 2);
  Scores scores(graph->total_states(), 0.0);
  scores[0] = -kInfinity;
  std::vector<Index> labels(3, 0);
  CHECK(ImproveLabelling(*graph, scores, labels) == 0);
  CHECK(labels == std::vector<Index>{1, 0, 0});
}
