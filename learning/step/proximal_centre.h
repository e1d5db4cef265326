// SPDX-License-Identifier: BSD-3-Clause
//
// The centre c and strength κ of a proximal problem, P(w) + κ/2 ‖w − c‖²: its weights are w = (κ c
// + λ Ψμ) / (κ + λ) (docs/notation.md, section 5b).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/learning/sign_constraints.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class ProximalCentre {
 public:
  /// κ ≥ 0; 0: there is no centre, and w = Ψμ.
  double kappa() const { return kappa_; }
  /// c; empty when κ = 0.
  std::span<const double> point() const { return point_; }
  /// The weights that the steps have reached: c until the first step from there, then `weights`.
  std::span<const double> Reached(std::span<const double> weights) const {
    return at_point_ ? std::span<const double>(point_) : weights;
  }

  /// Sets c to *weights and κ to kappa ≥ 0, and keeps Ψμ: *weights, the w of the old centre,
  /// becomes the w of the new centre. With constraints, *weights is v before clipping, of the old
  /// and then of the new centre, and c is the clipped vector.
  void Move(double kappa, double lambda, std::vector<double>* weights,
            const SignConstraints& signs = {});
  /// Must be called when a step is made, or when Ψμ changes otherwise.
  void Leave() { at_point_ = false; }
  /// λ/2 ‖w − Ψμ‖² with w = weights. The certified gap at w is the sum of this term and the gaps of
  /// the blocks. O(d); 0 without a centre.
  double Gap(double lambda, std::span<const double> weights) const;
  /// Turns weights = Ψμ into w.
  void Blend(double lambda, std::span<double> weights) const;

  /// lambda: λ of the problem.
  void Archive(Offset num_weights, double lambda, StateArchive* archive);

  static constexpr double kLargestKappa = 1e6;  ///< κ/λ: beyond it too few digits of Ψα are left

 private:
  double kappa_ = 0;
  bool at_point_ = false;
  std::vector<double> point_;
};

}  // namespace slackline::internal
