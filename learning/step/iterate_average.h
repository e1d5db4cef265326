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
// section 5). suffix: r_k = 1 from the newest restart on, and 0 before. The restarts are k = 1 and,
// after a restart at k, the smallest larger integer that is at least k / μ, so that just before a
// restart the average has the last share 1 − μ of all iterates (their equation (15); (1 − μ)-suffix
// averaging of Rakhlin, Shamir, Sridharan, "Making gradient descent optimal for strongly convex
// stochastic optimization", ICML 2012), and fewer at other times. μ = 1/2: restarts at the powers
// of two (the doubling trick after their equation (15)).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/learning/options.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// Which iterates are averaged.
struct AverageRule {
  AverageKind kind = AverageKind::kOff;
  double suffix_share = 0.5;  ///< 1 − μ: at least 0, less than 1
};
inline AverageRule AverageRuleOf(const TrainOptions& options) {
  return {options.average, options.suffix_share};
}

class IterateAverage {
 public:
  IterateAverage(const AverageRule& rule, Offset num_weights)
      : rule_(rule), lag_(active() ? num_weights : 0, 0.0) {}
  /// A new average by the same rule.
  IterateAverage Restarted() const { return {rule_, static_cast<Offset>(lag_.size())}; }

  bool active() const {
    return rule_.kind != AverageKind::kOff && rule_.kind != AverageKind::kAuto;
  }

  /// The vector to which step k must add scale() · Δ_k.
  std::span<double> lag() { return lag_; }
  double scale() const { return scaled_; }
  /// Ends step k. iterate_scale: s_k, where the iterate is s_k times the vector.
  void EndStep(double iterate_scale = 1);
  /// Makes the sums independent of `vector`, which may then be multiplied by any factor. O(d). Must
  /// be called when the scales of iterates have fallen far: the sums lose as many digits.
  void Fold(std::span<const double> vector);

  /// The average; before the first step, the newest vector. Requires active().
  void Read(std::span<const double> newest, std::vector<double>* average) const;

  /// Requires an average of the same kind and size as the saved one.
  void Archive(StateArchive* archive);

 private:
  AverageRule rule_;
  Offset step_ = 0;
  Offset next_restart_ = 1;  // of a suffix
  double total_ = 0;         // R_{k−1}
  double scaled_ = 0;        // Σ r_j s_j
  std::vector<double> lag_;
};

}  // namespace slackline::internal
