// SPDX-License-Identifier: BSD-3-Clause
//
// When the centre of proximal example blocks moves, and how strong it is then (docs/notation.md,
// section 5b).
//
// Every pass works on the problem with κ/2 ‖w − c‖² added, and then takes its w as the new c
// (Rockafellar, "Monotone operators and the proximal point algorithm", SIAM J. Control Optim.
// 1976). Blocks that pull at shared weights with little regularisation undo each other's steps; κ
// damps that, and costs passes when it is too large. The certified gap at w is that of the blocks
// plus λ/2 ‖w − Ψα‖²; the first is large when κ is too small, the second when it is too large, so κ
// follows their ratio. Blocks that a pass leaves far from the optimum of its proximal problem can
// make the centre run in circles: while the gap does not fall, more and more passes are made for
// every move, until they solve the proximal problems.
#pragma once

#include <optional>

#include <slackline/learning/problem.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// κ of the first pass: `most` times λ, or less where a first step with that would stop short of
/// where the objective's tangent at w = 0 reaches zero: ‖ψ‖² / mean Δ, at the labellings of largest
/// loss. One sweep over the data.
double FirstKappa(const Problem& problem, double most = 2);

class ProximalControl {
 public:
  /// After a pass with κ > 0: the κ with which the centre is to be moved now (0: it has become
  /// useless), or nothing when it is to stay for another pass. block_gap ≥ 0 and centre_gap ≥ 0:
  /// the two parts of the certified gap.
  std::optional<double> AfterPass(double lambda, double kappa, double block_gap, double centre_gap);

  /// Passes per move of the centre, at most.
  Index hold() const { return hold_; }

  void Archive(StateArchive* archive);

 private:
  double best_gap_ = kInfinity;
  Index hold_ = 1;
  Index waited_ = 0;   // passes since the last move
  Index stalled_ = 0;  // passes since best_gap_, or since hold_ grew
};

}  // namespace slackline::internal
