// SPDX-License-Identifier: BSD-3-Clause
//
// Averages of iterates whose steps touch few weights, without touching all weights in every step.
//
// With w_k = w_{k−1} + Δ_k, iterate weights r_k and R_k = r_1 + … + r_k:
//   (1/R_K) Σ_k r_k w_k = w_K − (1/R_K) Σ_k R_{k−1} Δ_k + (terms of w_0, which is 0 or the start of
//   the suffix),
// so it is enough to add R_{k−1} Δ_k to a second vector where Δ_k is added to w. The same holds for
// iterates s_k w_k that are kept as a vector and a scale, with Σ_j r_j s_j in place of R where Δ_k
// is added, and in the first term.
//
// uniform: r_k = 1. weighted: r_k = k (Lacoste-Julien, Jaggi, Schmidt, Pletscher, ICML 2013,
// section 5). suffix: r_k = 1 over the steps since the newest power of two, times the size of a
// pass (doubling suffix: Rakhlin, Shamir, Sridharan, "Making gradient descent optimal for strongly
// convex stochastic optimization", ICML 2012).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/learning/options.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

class IterateAverage {
 public:
  /// first_suffix: steps before the first restart of a suffix average; every later restart comes
  /// after twice as many.
  IterateAverage(AverageKind kind, Offset num_weights, Offset first_suffix)
      : kind_(kind), next_restart_(first_suffix), lag_(IsOff(kind) ? 0 : num_weights, 0.0) {}

  AverageKind kind() const { return kind_; }
  bool active() const { return !IsOff(kind_); }

  /// The vector to which step k must add scale() · Δ_k.
  std::span<double> lag() { return lag_; }
  double scale() const { return scaled_; }
  /// Ends step k. iterate_scale: s_k, where the iterate is s_k times the vector.
  void EndStep(double iterate_scale = 1);
  /// Makes the sums independent of `vector`, which may then be multiplied by any factor. O(d). Must
  /// be called when the scales of iterates have fallen far, since the sums lose as many digits.
  void Fold(std::span<const double> vector);

  /// The average, given the newest vector. Requires active() and a step.
  void Read(std::span<const double> newest, std::vector<double>* average) const;

  /// Requires an average of the same kind and size as the saved one.
  void Archive(StateArchive* archive);

 private:
  static bool IsOff(AverageKind kind) {
    return kind == AverageKind::kOff || kind == AverageKind::kAuto;
  }

  AverageKind kind_;
  Offset step_ = 0;
  Offset next_restart_;
  double total_ = 0;   // R_{k−1}
  double scaled_ = 0;  // Σ r_j s_j
  double iterate_scale_ = 1;
  std::vector<double> lag_;
};

}  // namespace slackline::internal
