// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the figures of an evaluation with the plain formulas of docs/notation.md
// (tests/support/plain_soft.h).
#include <slackline/learning/factor_blocks/factor_certificate.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/inference/local_polytope.h>

#include "tests/support/dense_labellings.h"
#include "tests/support/dense_qp.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/plain_soft.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

void CheckEvaluation(const FactorBlocks& blocks) {
  const Problem& problem = blocks.problem();
  std::vector<double> weights;
  DualMixture mixture(problem.lambda());
  const FactorEvaluation found = EvaluateFactorBlocks(blocks, 2, &weights, &mixture);

  const PlainSoft plain(blocks, {});
  const PlainSoft::Point point = plain.At(plain.Read(blocks));
  RealVector feasible = point.mu;
  for (Index m = 0; m < problem.size(); ++m) {
    const FactorGraph& graph = problem.data().example(m).graph();
    auto own = feasible.segment(plain.Columns(m, 0).first, graph.total_states());
    std::vector<double> mu(own.begin(), own.end());
    const std::vector<double> p(mu.begin(), mu.begin() + graph.variable_states());
    RepairToLocalPolytope(graph, p, mu);
    REQUIRE(PolytopeViolation(graph, mu) <= kPolytope);
    own = AsVector(mu).cast<Real>();
  }
  const auto near = [&](double value, Real expected) {
    return std::abs(value - expected) <= 1e-10 * std::max<Real>(1, plain.Relaxed(point));
  };
  CHECK(near(found.relaxed_primal, plain.Relaxed(point)));
  CHECK(near(found.dual_point, plain.ValueOfTables(point)));
  CHECK(near(found.soft_primal, plain.Relaxed(point) + plain.Penalty(point)));
  CHECK(near(found.soft_dual, plain.Value(point)));
  const RealVector w = plain.Weights(point);
  for (Eigen::Index k = 0; k < w.size(); ++k)
    CHECK(Near(weights[k], static_cast<double>(w[k]), 1e-10));
  // This feasible point is one of the points of the mixture.
  const Real lower = plain.ValueOfTables(plain.At(feasible));
  CHECK(mixture.value() >= lower - 1e-10 * std::max<Real>(1, plain.Relaxed(point)));
}

}  // namespace

TEST_CASE("evaluations agree with the plain formulas") {
  Random random(51);
  for (int trial = 0; trial < 30; ++trial) {
    const Problem problem(trial % 3 == 0 ? RandomMultiLabelProblem(random, 4, 5, 3, true)
                                         : RandomProblem(random, RandomOptions(random)),
                          0.05);
    FactorBlocks blocks(problem, trial % 2 == 0 ? StepKind::kPairwise : StepKind::kFrankWolfe,
                        true);
    blocks.set_rho(0.6);
    for (int pass = 0; pass < 5; ++pass) {
      for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, 0.5 / 0.6);
      CheckEvaluation(blocks);
    }
  }
}

TEST_CASE("a converged point is the optimum up to rounding errors") {
  Random random(52);
  const Problem problem(RandomMultiLabelProblem(random, 4, 4, 3, true), 0.2);
  FactorBlocks blocks(problem, StepKind::kPairwise, true);
  blocks.set_rho(problem.penalty_scale());
  for (int pass = 0; pass < 5000; ++pass) {
    for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, 1 / blocks.rho());
  }
  std::vector<double> weights;
  DualMixture mixture(0.2);
  const FactorEvaluation point = EvaluateFactorBlocks(blocks, 1, &weights, &mixture);
  const double optimum = RelaxedOptimum(problem.training(), 0.2);
  CHECK(Near(point.relaxed_primal, optimum, kSolver));
  CHECK(Near(mixture.value(), optimum, kSolver));
  CHECK(point.violation <= 1e-6);
}
