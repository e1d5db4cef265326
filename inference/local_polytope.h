// SPDX-License-Identifier: BSD-3-Clause
//
// The local polytope L of a graph (docs/notation.md, section 2) and its dual:
//   L = { μ ≥ 0 : Σ_s μ_i(s) = 1 for every variable i,
//         A_ci μ_c = μ_i for every factor c and i ∈ c },
// as arrays for LP solvers, with a repair of points slightly outside of L, and a bound from dual
// messages. All functions are safe to call from several threads.
#pragma once

#include <memory>
#include <span>

#include <slackline/core/factor_graph.h>
#include <slackline/inference/lp_model.h>

namespace slackline::internal {

/// The LP max θ·μ over L. One column per state of every part, in flat order. Rows: Σ_s μ_i(s) = 1
/// per variable, then A_ci μ_c − μ_i = 0 per edge and state. The row of the last state is left out
/// for every edge of a factor except its first, because it follows from the others; the remaining
/// rows have full rank. row_message: per row, its position in the flat messages, or −1. Costs are
/// zero. O(rows + non-zeros).
struct LocalPolytopeRows {
  LpModel model;
  std::vector<Offset> row_message;
};
LocalPolytopeRows MakeLocalPolytopeRows(const FactorGraph& graph);

/// The formulation above, for any graph. The starting basis is the star around a locally improved
/// labelling y: all joint states that differ from y_c in at most one variable.
std::unique_ptr<LpFormulation> MakeLocalPolytopeFormulation(
    std::shared_ptr<const FactorGraph> graph);

/// Changes `table` (of factor c) to one with marginals p: entries ≥ 0 and A_ci table = p_i, up to
/// rounding errors (1e-15 and the error of Σ_s p_i(s) = 1). For binary pairs, table(1,1) is clipped
/// to [max(0, p_i + p_j − 1), min(p_i, p_j)]. Other tables are repaired by Algorithm 2 of
/// Altschuler, Weed and Rigollet (2017), for any number of axes; the change in the 1-norm is at
/// most twice the violation. A table that already fits is not changed. Requires p ≥ 0 (the
/// marginals of all variables, at graph.state_offset(i)) with sums 1; negative entries of `table`
/// count as 0. O(axes · states), without allocation if Σ K_i ≤ 128.
void RepairFactor(const FactorGraph& graph, Index c, std::span<const double> p,
                  std::span<double> table);

/// Copies p into the variables' part of `marginals` (total_states entries) and repairs the table of
/// every factor.
void RepairToLocalPolytope(const FactorGraph& graph, std::span<const double> p,
                           std::span<double> marginals);

/// Largest |A_ci μ_c(s) − μ_i(s)|, |Σ_s μ_i(s) − 1| and −μ_a(s): 0 for points of L. For checks and
/// tests.
double PolytopeViolation(const FactorGraph& graph, std::span<const double> marginals);

/// Σ_i max(θ_i + Σ_c δ_ci) + Σ_c max(θ_c − Σ_i A_ciᵀ δ_ci): an upper bound on max_{μ ∈ L} θ·μ for
/// all messages δ, with equality for optimal messages. The messages of an edge begin at
/// graph.message_offset(edge). O(Σ_c axes · states).
double DualBound(const FactorGraph& graph, std::span<const double> scores,
                 std::span<const double> messages);

/// Σ_a θ_a · μ_a over the states with μ_a ≠ 0.
double MarginalsScore(std::span<const double> scores, std::span<const double> marginals);

}  // namespace slackline::internal
