// SPDX-License-Identifier: BSD-3-Clause
//
// Structures whose coordinates (core/structure.h) are marginals, as in multi-label models. The
// coordinates of a dual point of such a structure can be checked entry by entry.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <slackline/core/structure.h>

namespace slackline::internal {

/// The marginals μ_i(1) of binary variables and μ_ij(1, 1) of pairs, read from coordinates.
class ReadableMarginals {
 public:
  /// Empty unless each of these marginals has a coordinate of its own.
  static std::optional<ReadableMarginals> Make(const Structure& structure);

  /// The largest violation by coordinates q of the local polytope's constraints, the largest
  /// marginal of a forbidden state, and |Δ·μ + (γ/2) Σ_i (1 − ‖μ_i‖²) − loss| with γ = smoothing.
  /// delta: Δ_i of all states.
  double Violation(const Structure& structure, std::span<const double> q,
                   std::span<const double> delta, double loss, double smoothing) const;

 private:
  double At(std::span<const double> q, Index part) const { return q[coordinate_[part]]; }

  std::vector<Index> coordinate_;  // per part
};

}  // namespace slackline::internal
