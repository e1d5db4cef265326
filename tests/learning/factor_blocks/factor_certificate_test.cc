// SPDX-License-Identifier: BSD-3-Clause
//
// Recomputes the figures of an evaluation from the data by the plain formulas of docs/notation.md,
// with explicit feature vectors and explicit sums over states.
#include <slackline/learning/factor_blocks/factor_certificate.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>
#include <Eigen/Core>

#include <slackline/inference/local_polytope.h>

#include "tests/support/dense_qp.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// μ and η of one example in the order of the graph, read from the engine's memory.
struct Point {
  std::vector<double> mu;   // flat over the states of all parts
  std::vector<double> eta;  // flat over all edges
};

Point Extract(const FactorBlocks& blocks, Index m) {
  const FactorGraph& graph = blocks.problem().data().example(m).graph();
  const BlockLayout& layout = blocks.layout(m);
  const double* state = blocks.state(m);
  Point point{std::vector<double>(graph.total_states()),
              std::vector<double>(graph.total_messages())};
  std::copy(state, state + graph.variable_states(), point.mu.begin());
  for (Index k = 0; k < layout.pairs.count; ++k) {
    const Index c = layout.pairs.factor[k];
    for (Index y = 0; y < 4; ++y) {
      point.mu[graph.factor_offset(c) + y] =
          state[layout.pairs.mu + static_cast<Offset>(y) * layout.pairs.count + k];
    }
    for (Index side = 0; side < 2; ++side) {
      const double eta =
          state[layout.pairs.eta + static_cast<Offset>(side) * layout.pairs.count + k];
      const Offset at = graph.message_offset(graph.edge(c, side));
      point.eta[at] = -eta;
      point.eta[at + 1] = eta;
    }
  }
  for (const TableBlock& table : layout.tables) {
    std::copy(state + table.mu, state + table.mu + table.states,
              point.mu.begin() + static_cast<std::ptrdiff_t>(graph.factor_offset(table.factor)));
    for (std::size_t k = 0; k < table.axes.size(); ++k) {
      const Offset at = graph.message_offset(graph.edge(table.factor, static_cast<Index>(k)));
      std::copy(state + table.axes[k].eta, state + table.axes[k].eta + table.axes[k].cardinality,
                point.eta.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  return point;
}

/// v_ci = A_ci μ_c − μ_i, flat over all edges.
std::vector<double> Violations(const FactorGraph& graph, const std::vector<double>& mu) {
  std::vector<double> v(graph.total_messages(), 0.0);
  std::vector<Index> states(16);
  for (Index c = 0; c < graph.num_factors(); ++c) {
    const auto scope = graph.scope(c);
    for (Index joint = 0; joint < graph.factor_states(c); ++joint) {
      JointToStates(graph, c, joint, std::span(states).first(scope.size()));
      for (std::size_t k = 0; k < scope.size(); ++k) {
        const Offset at = graph.message_offset(graph.edge(c, static_cast<Index>(k))) + states[k];
        v[at] += mu[graph.factor_offset(c) + joint];
      }
    }
    for (std::size_t k = 0; k < scope.size(); ++k) {
      for (Index s = 0; s < graph.cardinality(scope[k]); ++s) {
        const Offset at = graph.message_offset(graph.edge(c, static_cast<Index>(k))) + s;
        v[at] -= mu[graph.state_offset(scope[k]) + s];
      }
    }
  }
  return v;
}

/// Adds Σ μ ψ / (λM) of one example to w, and returns Σ Δ·μ / M.
double AddDual(const Problem& problem, Index m, const std::vector<double>& mu, Eigen::VectorXd* w) {
  const ExampleView example = problem.data().example(m);
  const FactorGraph& graph = example.graph();
  double loss = 0;
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const bool variable = a < graph.num_variables();
    const Index given = variable ? example.labels()[a]
                                 : JointState(graph, a - graph.num_variables(), example.labels());
    const Eigen::VectorXd phi = DenseFeatures(example, a, given);
    for (Index s = 0; s < graph.num_states(a); ++s) {
      const double mass = mu[graph.state_offset(a) + s];
      *w += mass * (phi - DenseFeatures(example, a, s)) / problem.lambda_m();
      if (variable) loss += mass * problem.loss(m)[graph.state_offset(a) + s];
    }
  }
  return loss / problem.size();
}

/// Σ_a max of the reparametrised θ_a, from the loss, explicit features and DualBound.
double HingeOfParts(const Problem& problem, Index m, const Eigen::VectorXd& w,
                    const std::vector<double>& delta) {
  const ExampleView example = problem.data().example(m);
  const FactorGraph& graph = example.graph();
  std::vector<double> theta(graph.total_states());
  for (Index a = 0; a < graph.num_parts(); ++a) {
    const bool variable = a < graph.num_variables();
    const Index given = variable ? example.labels()[a]
                                 : JointState(graph, a - graph.num_variables(), example.labels());
    const double own = w.dot(DenseFeatures(example, a, given));
    for (Index s = 0; s < graph.num_states(a); ++s) {
      const std::size_t at = graph.state_offset(a) + s;
      theta[at] =
          w.dot(DenseFeatures(example, a, s)) - own + (variable ? problem.loss(m)[at] : 0.0);
    }
  }
  return DualBound(graph, theta, delta);
}

void CheckEvaluation(const FactorBlocks& blocks) {
  const Problem& problem = blocks.problem();
  const double M = problem.size();
  std::vector<double> weights;
  DualMixture mixture(problem.lambda());
  const FactorEvaluation found = EvaluateFactorBlocks(blocks, 2, &weights, &mixture);

  Eigen::VectorXd w = Eigen::VectorXd::Zero(problem.num_weights());
  Eigen::VectorXd feasible = w;
  double loss = 0;
  double feasible_loss = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    Point point = Extract(blocks, m);
    loss += AddDual(problem, m, point.mu, &w);
    const FactorGraph& graph = problem.data().example(m).graph();
    const std::vector<double> p(point.mu.begin(), point.mu.begin() + graph.variable_states());
    RepairToLocalPolytope(graph, p, point.mu);
    REQUIRE(PolytopeViolation(graph, point.mu) <= kPolytope);
    feasible_loss += AddDual(problem, m, point.mu, &feasible);
  }
  double hinge = 0;
  double penalty = 0;
  double eta_v = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const Point point = Extract(blocks, m);
    const std::vector<double> v = Violations(problem.data().example(m).graph(), point.mu);
    std::vector<double> delta = point.eta;
    for (std::size_t k = 0; k < v.size(); ++k) {
      delta[k] += v[k] / blocks.rho();
      penalty += v[k] * v[k] / (2 * blocks.rho() * M);
      eta_v += point.eta[k] * v[k] / M;
    }
    hinge += HingeOfParts(problem, m, w, delta) / M;
  }
  const double regulariser = 0.5 * problem.lambda() * w.squaredNorm();
  const double scale = std::max(1.0, regulariser + hinge);
  constexpr double kSame = 1e-10;
  CHECK(std::abs(found.relaxed_primal - (regulariser + hinge)) <= kSame * scale);
  CHECK(std::abs(found.dual_point - (loss - regulariser)) <= kSame * scale);
  CHECK(std::abs(found.soft_primal - (regulariser + hinge + penalty)) <= kSame * scale);
  CHECK(std::abs(found.soft_dual - (loss - regulariser - eta_v - penalty)) <= kSame * scale);
  for (Eigen::Index k = 0; k < w.size(); ++k) {
    CHECK(Near(weights[k], w[k], kSame));
  }
  // This feasible point is one of the points of the mixture.
  const double lower = feasible_loss - 0.5 * problem.lambda() * feasible.squaredNorm();
  CHECK(mixture.value() >= lower - kSame * scale);
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
