// SPDX-License-Identifier: BSD-3-Clause
//
// Feasible points of examples with global factors, for the lower bound of the relaxed problem
// (docs/notation.md, section 9). There μ_c of a global factor is a mixture of its allowed states,
// and the domain asks A_ci μ_c = μ_i as for tables.
//
// Given p_i for every variable, μ_c becomes a mixture with exactly the marginals p:
//   - with kept states, by the algorithm that repairs tables (Altschuler, Weed, Rigollet, NIPS
//     2017, Algorithm 2), on the list of kept states: for every axis the shares are multiplied by
//     min(1, p_i / marginal_i); what is missing, e_i = p_i − marginal_i, is filled up by states
//     that go through all axes in step (a monotone coupling of the e_i, at most Σ (K_i − 1) + 1
//     states);
//   - without (Frank-Wolfe steps): the largest multiple of μ_c that lies below p on all axes,
//     filled up in the same way.
// Filling up needs states that nobody forbids. A restricted factor keeps its own μ_c, and p_i is
// its marginal; where two restricted factors share a variable, the example's point is a mixture of
// whole labellings that all of them allow.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/learning/factor_blocks/global_blocks.h>

namespace slackline::internal {

/// p += A_ci μ_c of all global blocks (flat over the variables' states).
void AddGlobalMarginals(const BlockLayout& layout, const double* state, std::span<double> p);

/// p_i = A_ci μ_c for the variables of global blocks, the first that contains i; others stay.
void TakeGlobalMarginals(const BlockLayout& layout, const double* state, std::span<double> p);

class GlobalRepair {
 public:
  /// Makes p one that the restricted factors of the example can have. False when there is none to
  /// be had in this way: two of them share a variable; then AddLabellings is to be used.
  static bool FitRestricted(const BlockLayout& layout, const double* state, std::span<double> p);

  /// q −= coordinates of global block g of example m at a mixture with marginals p.
  void Subtract(const GlobalBlocks& blocks, Index m, Index g, const BlockLayout& layout,
                const double* state, std::span<const double> p, std::span<double> q);

  /// q −= coordinates of a mixture of whole labellings: the kept states of the largest restricted
  /// factor, other variables at the largest p; the ground truth where a restricted factor forbids
  /// that. Returns Σ Δ·μ of it.
  double SubtractLabellings(const GlobalBlocks& blocks, Index m, const ExampleView& example,
                            const BlockLayout& layout, std::span<const double> p,
                            std::span<const double> loss, std::span<double> q);

 private:
  void Fill(const GlobalBlock& global, double missing, std::span<double> features);

  std::vector<double> share_;
  std::vector<double> marginals_;
  std::vector<double> rest_;  // e_i of all axes
  std::vector<double> features_;
  std::vector<double> phi_;
  std::vector<Index> states_;
  std::vector<Index> labels_;
};

/// The sums that objectives need of one example's global blocks at fixed w and δ.
struct GlobalSums {
  double maxima = 0;  ///< Σ_c max θ̂_c, by the factors' oracles
  double gaps = 0;    ///< Σ_c (max θ̂_c − θ̂_c·μ_c)
  double violation_sq = 0;
  double eta_v = 0;
  double max_violation = 0;
  Offset edges = 0;
};

/// Adds δ to messages (flat over the variables' states). u: coordinate scores of the example. Safe
/// to call from several threads.
GlobalSums EvaluateGlobals(const BlockLayout& layout, const double* state, double inverse_rho,
                           std::span<const double> u, std::span<double> messages);

}  // namespace slackline::internal
