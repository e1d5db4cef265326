// SPDX-License-Identifier: BSD-3-Clause
//
// The penalized dual without the weights,
//
//   b(μ) = Σ_m [Δ·μ − Σ η·v − (1/2ρ) Σ‖v‖² − (γ/2) Σ_a ‖μ_a‖²],   v_ci = A_ci μ_c − μ_i,
//
// along a change of the point with fixed η and ρ: b(μ + s·d) − b(μ) = slope·s − ½ curvature·s².
// The penalty joins variables and factors of one example only, so that the changes of several
// examples add up.
#pragma once

#include <span>

#include <slackline/learning/factor_blocks/factor_blocks.h>

namespace slackline::internal {

struct PointChange {
  double slope = 0;
  double curvature = 0;  ///< ≥ 0
};

/// The term of example m along the change from the state `before` (FactorBlocks::Point) to the
/// present one. One sweep over the example's block memory.
PointChange ChangeOfPoint(const FactorBlocks& blocks, Index m, std::span<const double> before);

}  // namespace slackline::internal
