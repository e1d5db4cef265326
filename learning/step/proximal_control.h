// SPDX-License-Identifier: BSD-3-Clause
//
// When the centre of proximal example blocks moves, and how strong it is then (docs/notation.md,
// section 5b).
//
// Every pass works on the problem with κ/2 ‖w − c‖² added, and then takes its w as the new c
// (Rockafellar, "Monotone operators and the proximal point algorithm", SIAM J. Control Optim.
// 1976). Blocks that change shared weights with little regularisation undo each other's steps. A
// positive κ damps these changes, but too large a κ costs passes. The certified gap at w is the gap
// of the blocks plus λ/2 ‖w − Ψα‖². The first term is large when κ is too small, the second when κ
// is too large, so κ follows the ratio of the two. When passes end far from the optimum of their
// proximal problem, the centre can run in circles. While the gap does not fall, more and more
// passes are made for every move of the centre, until passes solve their proximal problem.
#pragma once

#include <optional>
#include <span>

#include <slackline/learning/problem.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// Largest κ/λ of the first pass: 2, unless examples outnumber the weights. Blocks then undo each
/// other's steps more, the more blocks share a weight and the weaker λ is. From M = 2d on it is
/// √(r/λ) ∛(M/d), at least 2, with r = R²/(M Δ̄), R² the mean squared range of the features of an
/// example and Δ̄ the mean of max Δ (docs/notation.md, section 5b: measured, not derived).
double MostFirstKappa(double lambda, const JointScales& scales, Offset num_weights);

/// κ of the first pass: `most` times λ, but at most ‖ψ‖² / mean Δ, both at the labellings of
/// largest loss. With a larger κ, a first step would stop short of the point where the objective's
/// tangent at w = 0 reaches zero. One sweep over the data.
double FirstKappa(const Problem& problem, double most);
/// The same, with MostFirstKappa as `most`.
double FirstKappa(const Problem& problem);
/// The parts of FirstKappa. AddWorstDirection adds `scale` times Σ_m ψ_m at the labellings of
/// largest loss to the direction, num_weights() entries; scale 1/M gives ψ above. Where the problem
/// has more than 5·10⁷ parts it visits every k-th example, with k times the weight.
void AddWorstDirection(const Problem& problem, double scale, std::span<double> direction);
double FirstKappa(double lambda, std::span<const double> direction, double mean_loss, double most);

class ProximalControl {
 public:
  /// After a pass with κ > 0, returns the κ with which the centre must be moved now (0: a centre
  /// has become useless), or nothing when the centre stays for another pass. block_gap ≥ 0 and
  /// centre_gap ≥ 0: the two parts of the certified gap.
  std::optional<double> AfterPass(double lambda, double kappa, double block_gap, double centre_gap);

  /// Largest number of passes per move of the centre.
  Index hold() const { return hold_; }

  void Archive(StateArchive* archive);

 private:
  double best_gap_ = kInfinity;
  Index hold_ = 1;
  Index waited_ = 0;   // passes since the last move
  Index stalled_ = 0;  // passes since best_gap_, or since hold_ grew
};

}  // namespace slackline::internal
