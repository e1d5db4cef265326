// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates of the relaxed problem without an LP solver (docs/notation.md): for any messages,
// g(w,δ) is an upper bound on the optimum G*; for any point μ' of the local polytopes, f(μ') is a
// lower bound.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// The best lower bound that convex combinations of feasible dual points give. The polytope is
/// convex and
///   f(Σ a_k μ'_k) = a·ℓ − λ/2 ‖Σ a_k w_k‖²
/// needs only w_k = Ψμ'_k and ℓ_k = (1/M) Σ Δ·μ'_k of each point: the best mixture of a few points
/// is a tiny quadratic program over a simplex. Points of successive checks scatter around the
/// optimum; their mixture lies closer to it.
class DualMixture {
 public:
  /// Largest number of points kept, the best mixture included.
  static constexpr std::size_t kKept = 6;

  explicit DualMixture(double lambda) : lambda_(lambda) {}

  /// What Add did, for classes that keep the points themselves (step/mixed_points.h).
  struct Change {
    std::ptrdiff_t dropped = -1;  ///< point that was dropped for the new one; −1: none
    /// Shares of all kept points, the best mixture first and the new point last.
    std::vector<double> shares;
    bool improved = false;  ///< the mixture with these shares is the new best one
  };
  /// Takes a feasible point, and keeps the best mixture of this point, the mixture so far and a few
  /// earlier points. O(kept · d) operations and numbers: one inner product with each kept point.
  Change Add(std::vector<double> weights, double loss);

  /// Number of points; the best mixture counts as one.
  Index size() const { return static_cast<Index>(points_.size()); }
  /// The largest f over the mixtures tried; −∞ without points.
  double value() const { return value_; }
  /// w of the best mixture.
  std::span<const double> weights() const {
    return points_.empty() ? std::span<const double>() : points_[0].weights;
  }

  /// num_weights: length of the points' weight vectors.
  void Archive(Offset num_weights, StateArchive* archive);

 private:
  struct Point {
    std::vector<double> weights;
    double loss = 0;
    double share = 0;              // in the newest mixture
    std::vector<double> products;  // inner products of the weights with those of all points
  };
  void Append(std::vector<double> weights, double loss);
  bool Mix(std::span<const double> shares);
  double Value(std::span<const double> weights, double loss) const;

  double lambda_;
  double value_ = -kInfinity;
  std::vector<Point> points_;  // points_[0] is the best mixture
};

/// The best point between the ground truth (θ = 0) and a point with this loss and regulariser (θ =
/// 1): the θ ∈ [0, 1] that maximises f = θ·loss − θ²·regulariser.
double BestShare(double loss, double regulariser);

}  // namespace slackline::internal
