// SPDX-License-Identifier: BSD-3-Clause
//
// Every solver with forbidden states and with scores of all magnitudes, against enumeration in
// exact arithmetic.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/exact_sum.h>
#include <slackline/core/graph_topology.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/decode.h>
#include <slackline/inference/local_polytope.h>
#include <slackline/inference/presolve.h>
#include <slackline/inference/relaxed_marginals.h>

#include "tests/support/all_labellings.h"
#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Scores = std::vector<double>;

/// The best allowed labelling. size: the largest score that it uses, by which values are compared.
struct Best {
  std::vector<Index> labels;
  double value = -kInfinity;
  double size = 0;
};

double ExactScore(const FactorGraph& graph, const Scores& scores, const std::vector<Index>& labels,
                  double* size) {
  ExactSum sum;
  *size = 0;
  for (Index part = 0; part < graph.num_parts(); ++part) {
    const Index state = part < graph.num_variables()
                            ? labels[part]
                            : JointState(graph, part - graph.num_variables(), labels);
    const double score = scores[graph.state_offset(part) + state];
    if (score == -kInfinity) return -kInfinity;
    *size = std::max(*size, std::abs(score));
    sum.Add(score);
  }
  return sum.Round();
}

Best Enumerate(const FactorGraph& graph, const Scores& scores) {
  Best best;
  for (const auto& labels : AllLabellings(graph.cardinalities())) {
    double size = 0;
    const double value = ExactScore(graph, scores, labels, &size);
    if (value > best.value) best = {labels, value, size};
  }
  return best;
}

struct Counts {
  int solved = 0, exact = 0, fractional = 0;
};

/// Checks one solver on one problem. complete: it is exact on small graphs.
void CheckSolver(const GraphPtr& graph, const Scores& scores, const Best& best, MapSolver* solver,
                 bool complete, Counts* counts) {
  MapResult result;
  if (best.value == -kInfinity) {
    CHECK_THROWS_AS(solver->Solve(scores, nullptr, &result), DataError);
    return;
  }
  solver->Solve(scores, nullptr, &result);
  double size = 0;
  const double value = ExactScore(*graph, scores, result.labels, &size);
  // Relative to the scores that count. Relaxations call a labelling optimal within 1e-7.
  const double tolerance = (complete ? kTight : kSolver) * std::max({1e-3, best.size, size});
  CHECK(result.upper_bound >= best.value - kTight * std::max(1e-3, best.size));
  CHECK(value <= best.value + tolerance);
  if (result.exact) CHECK(value >= best.value - tolerance);
  if (complete) CHECK(result.exact);
  if (result.integral) {
    CHECK(value > -kInfinity);
    CHECK(std::abs(result.value - value) <= tolerance);
    CHECK(result.marginals.empty());
  } else {
    CHECK(PolytopeViolation(*graph, result.marginals) <= kPolytope);
    for (std::size_t k = 0; k < scores.size(); ++k) {
      if (scores[k] == -kInfinity) CHECK(result.marginals[k] == 0);
    }
    CHECK(result.value <= result.upper_bound);
    ++counts->fractional;
  }
  ++counts->solved;
  counts->exact += result.exact;
}

/// Checks all solvers that apply.
void CheckAll(const GraphPtr& graph, const Scores& scores, Counts* counts) {
  const Best best = Enumerate(*graph, scores);
  std::vector<SolverKind> kinds = {SolverKind::kAuto, SolverKind::kMessages,
                                   SolverKind::kMessagesBranchAndBound, SolverKind::kBranchAndBound,
                                   SolverKind::kBruteForce};
  if (HasGlpk()) kinds.insert(kinds.end(), {SolverKind::kLp, SolverKind::kLpPolytope});
  if (IsForest(*graph)) kinds.push_back(SolverKind::kTree);
  if (IsBinaryPairwise(*graph)) kinds.push_back(SolverKind::kRoof);
  for (const SolverKind kind : kinds) {
    CAPTURE(SolverKindName(kind));
    const bool complete = kind == SolverKind::kBranchAndBound || kind == SolverKind::kBruteForce ||
                          kind == SolverKind::kTree;
    CheckSolver(graph, scores, best, MakeMapSolver(kind, graph).get(), complete, counts);
  }
  CheckSolver(graph, scores, best, MakePresolvedSolver(graph, MakeRelaxedMessageSolver).get(),
              false, counts);
  if (best.value == -kInfinity) return;
  for (const DecodeKind kind : {DecodeKind::kAuto, DecodeKind::kLp}) {
    const MapResult result = Decoded(Decoder(kind, graph), scores);
    double size = 0;
    const double value = ExactScore(*graph, scores, result.labels, &size);
    const double tolerance = kSolver * std::max({1e-3, best.size, size});
    CHECK(result.upper_bound >= best.value - tolerance);
    if (kind == DecodeKind::kAuto) CHECK(result.exact);
    if (result.exact) CHECK(value >= best.value - tolerance);
  }
}

/// Sets a share of the scores to −∞, and all of some states of variables or rows of tables.
void Forbid(Random& random, const FactorGraph& graph, double share, Scores* scores) {
  for (double& score : *scores) {
    if (random.Uniform() < share) score = -kInfinity;
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    if (random.Uniform() > share) continue;
    const Index last = graph.cardinality(graph.scope(c).back());
    const Index state = random.Below(last);
    for (Index joint = state; joint < graph.factor_states(c); joint += last)
      (*scores)[graph.factor_offset(c) + joint] = -kInfinity;
  }
}

}  // namespace

TEST_CASE("forbidden states of variables, in tables, and whole rows: every solver") {
  Random random(1);
  Counts counts;
  for (int number = 0; number < 1200; ++number) {
    CAPTURE(number);
    const GraphPtr graph = SmallGraph(random, number);
    Scores scores = SmallScores(random, *graph, number / 12);
    Forbid(random, *graph, number / 12 % 2 == 0 ? 0.02 : 0.2, &scores);
    CheckAll(graph, scores, &counts);
  }
  CHECK(counts.exact > counts.solved / 2);
  CHECK(counts.fractional > 0);
}

TEST_CASE("scores of any magnitude: every solver") {
  Random random(2);
  Counts counts;
  for (int number = 0; number < 2400; ++number) {
    CAPTURE(number);
    const GraphPtr graph = SmallGraph(random, number);
    Scores scores = SmallScores(random, *graph, number / 12);
    const double share = number % 2 == 0 ? 0.2 : 0.6;
    for (double& score : scores) {
      if (random.Uniform() > share) continue;
      const double exponents[] = {6, 9, 12, 15, 20, 30, 100, 290};
      const double large =
          std::pow(10, number % 5 == 0 ? exponents[random.Below(8)] : exponents[(number / 5) % 8]);
      score = number % 7 == 0 ? large * (random.Uniform() < 0.5 ? 1 : -1) : -large;
    }
    if (number % 11 == 0) Forbid(random, *graph, 0.1, &scores);
    CheckAll(graph, scores, &counts);
  }
  CHECK(counts.exact > counts.solved / 2);
}
