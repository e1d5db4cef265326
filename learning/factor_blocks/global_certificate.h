// SPDX-License-Identifier: BSD-3-Clause
//
// Feasible points of examples with global factors, for the lower bound of the relaxed problem
// (docs/notation.md, section 9). In the domain, μ_c of a global factor is a mixture of its allowed
// states with A_ci μ_c = μ_i, as for tables.
//
// Given p_i for every variable, μ_c becomes a mixture with exactly the marginals p:
//   - with active sets, by the algorithm that repairs tables (Altschuler, Weed, Rigollet, NIPS
//     2017, Algorithm 2), applied to the states of the active set: for every axis the shares are
//     multiplied by min(1, p_i / marginal_i); the missing mass, e_i = p_i − marginal_i, is added by
//     a monotone coupling of the e_i, which has at most Σ (K_i − 1) + 1 states;
//   - without active sets (Frank-Wolfe steps), from the largest multiple of μ_c that lies below p
//     on all axes; the missing mass is added in the same way.
// The added states may be any, so that a restricted factor, which forbids some, cannot be repaired.
// It keeps its own μ_c instead, and p_i becomes its marginal. Where two restricted factors share a
// variable, the example's point is a mixture of whole labellings that all restricted factors allow.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/factor_blocks/global_blocks.h>

namespace slackline::internal {

/// p += A_ci μ_c of all global blocks (flat over the variables' states).
void AddGlobalMarginals(const BlockLayout& layout, const double* state, std::span<double> p);

/// p_i = A_ci μ_c of the first global block c that contains variable i. Leaves the variables of no
/// global block unchanged.
void TakeGlobalMarginals(const BlockLayout& layout, const double* state, std::span<double> p);

class GlobalRepair {
 public:
  /// Replaces p_i by the marginals of the restricted factors of the example. Returns false when two
  /// restricted factors share a variable; SubtractLabellings is for that case.
  static bool FitRestricted(const BlockLayout& layout, const double* state, std::span<double> p);

  /// q −= coordinates of global block g of example m at a mixture with marginals p.
  void Subtract(const GlobalBlocks& blocks, Index m, Index g, const BlockLayout& layout,
                const double* state, std::span<const double> p, std::span<double> q);

  /// q −= coordinates of a mixture of whole labellings. Each state in the active set of the largest
  /// restricted factor gives one, with the other variables at their largest p. The ground truth
  /// takes the share of those that a restricted factor forbids. Returns Σ Δ·μ of the mixture.
  double SubtractLabellings(const GlobalBlocks& blocks, Index m, const ExampleView& example,
                            const BlockLayout& layout, std::span<const double> p,
                            std::span<const double> loss, std::span<double> q);

 private:
  void Fill(const GlobalBlock& global, double missing, std::span<double> features);

  std::vector<double> share_;
  std::vector<double> marginals_;
  std::vector<double> rest_;  // missing mass e_i of all axes
  std::vector<double> features_;
  std::vector<double> phi_;
  std::vector<Index> states_;
  std::vector<Index> labels_;
};

/// Sums over the global blocks of one example at fixed w and δ, for the objectives.
struct GlobalSums {
  double maxima = 0;  ///< Σ_c max θ̂_c, by the factors' oracles
  double gaps = 0;    ///< Σ_c (max θ̂_c − θ̂_c·μ_c)
  double violation_sq = 0;
  double eta_v = 0;
  double max_violation = 0;
  Offset edges = 0;
};

/// Evaluates the global blocks of an example, and adds δ to `messages` (flat over the variables'
/// states). u: coordinate scores of the example. Safe to call from several threads.
GlobalSums EvaluateGlobals(const BlockLayout& layout, const double* state, double inverse_rho,
                           std::span<const double> u, std::span<double> messages);

}  // namespace slackline::internal
