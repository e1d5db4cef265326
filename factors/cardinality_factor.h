// SPDX-License-Identifier: BSD-3-Clause
//
// Global factors that depend on how many of their binary variables are 1: a weight per count, and
// bounds on the count (at most one, exactly one, …).
#pragma once

#include <span>
#include <vector>

#include <slackline/core/global_factor.h>
#include <slackline/core/structure.h>

namespace slackline::internal {

/// φ(y) = values[n] · e_{rows[n]}, n = Σ_i y_i, for the counts low ≤ n ≤ high; other counts are
/// forbidden.
class CardinalityFactor final : public GlobalFactor {
 public:
  /// `size` ≥ 1 binary variables, a weight for each count 0 … size.
  explicit CardinalityFactor(Index size);
  /// Count n reads weight counts.rows[n] times counts.values[n]. A row of kAbsent means no weight;
  /// several counts may share one. Both lists have size + 1 entries, but `values` may be empty (all
  /// 1). Requires 0 ≤ low ≤ high ≤ size. Throws std::invalid_argument.
  CardinalityFactor(Index size, Index num_weights, StateMap counts, Index low, Index high);

  /// No weights, only bounds on the count.
  static CardinalityFactor Between(Index size, Index low, Index high);
  static CardinalityFactor AtMostOne(Index size) { return Between(size, 0, 1); }
  static CardinalityFactor ExactlyOne(Index size) { return Between(size, 1, 1); }

  std::string_view name() const override { return "cardinality"; }
  std::span<const Index> cardinalities() const override { return cardinalities_; }
  Index num_weights() const override { return num_weights_; }
  void AddFeatures(std::span<const Index> states, double scale,
                   std::span<double> out) const override;
  /// Sorts the gains of the variables: O(size · log size).
  double Maximize(std::span<const double> weights, std::span<const double> messages,
                  std::span<Index> states) const override;
  double Score(std::span<const double> weights, std::span<const Index> states) const override;
  bool IsRestricted() const override { return low_ > 0 || high_ < size(); }
  bool Allows(std::span<const Index> states) const override;

  Index size() const { return static_cast<Index>(cardinalities_.size()); }

 private:
  double CountScore(std::span<const double> weights, Index count) const;

  std::vector<Index> cardinalities_;
  Index num_weights_;
  StateMap counts_;
  Index low_;
  Index high_;
};

}  // namespace slackline::internal
