// SPDX-License-Identifier: BSD-3-Clause
//
// A compact form of the local polytope of graphs with binary variables and factors over one or two
// of them.
//
// Every 2×2 table is  θ_c(y_i, y_j) = k + a y_i + b y_j + t y_i y_j  with k = θ_c(0,0), a =
// θ_c(1,0) − k, b = θ_c(0,1) − k, t = θ_c(0,0) + θ_c(1,1) − θ_c(0,1) − θ_c(1,0). With u_i = all
// linear terms of variable i, the relaxation is
//   max Σ_i u_i x_i + Σ_{t>0} t min(x_i, x_j) − Σ_{t<0} |t| max(0, x_i + x_j − 1),   x ∈ [0, 1]^n.
// Each pair term is a minimum over one number f ∈ [0, |t|]: of f x_i + (t − f) x_j, or of f (1 −
// x_i − x_j). The dual is
//   min Σ_i p_i + Σ_{t<0} f_c   over p ≥ 0, 0 ≤ f_c ≤ |t_c|
//   with p_i ≥ r_i(f) := u_i + Σ_{c∋i} [f_c | t_c − f_c | −f_c]
//   (for t > 0 and i first | t > 0 and i second | t < 0),
// a program of only n rows and n + C columns; the dual values of its rows are x. LP solvers get
// this dual program, because GLPK takes 3 to 20 times as long for the primal form (columns x and z,
// three rows per pair).
//
// Corners are half-integral (Boros and Hammer 2002), so x is snapped to {0, ½, 1} and the pairs are
// recomputed.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/inference/lp_model.h>

namespace slackline::internal {

/// True when all variables have two states and all factors one or two variables.
bool IsBinaryPairwise(const FactorGraph& graph);

/// The coefficients u and t of the formula above.
class BinaryPairs {
 public:
  struct Pair {
    Index factor = 0;
    Index first = 0;
    Index second = 0;
  };
  /// Requires IsBinaryPairwise(graph).
  explicit BinaryPairs(const FactorGraph& graph);

  std::span<const Pair> pairs() const { return pairs_; }

  /// u has one entry per variable, t one per pair. O(total states).
  void Coefficients(std::span<const double> scores, std::span<double> u, std::span<double> t) const;

  /// The point of the local polytope with μ_i(1) = x_i that is best for the scores; the sign of t
  /// decides for every pair. Requires 0 ≤ x ≤ 1. Exactly feasible when x is in {0, ½, 1}^n.
  void Marginals(std::span<const double> scores, std::span<const double> x,
                 std::span<double> marginals) const;

  /// The messages δ for which DualBound is the dual objective at f. f has one entry per pair, which
  /// is clipped to [0, |t|].
  void Messages(std::span<const double> scores, std::span<const double> f,
                std::span<double> messages) const;

 private:
  const FactorGraph* graph_;
  std::vector<Pair> pairs_;
  std::vector<Index> unary_;  // factors over one variable
};

/// The dual program above. The starting basis has f = 0 and p = max(0, r).
std::unique_ptr<LpFormulation> MakeBinaryPairFormulation(std::shared_ptr<const FactorGraph> graph);

}  // namespace slackline::internal
