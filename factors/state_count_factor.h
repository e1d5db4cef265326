// SPDX-License-Identifier: BSD-3-Clause
//
// A global factor that depends on how many of its variables have one given state: CardinalityFactor
// for variables with any numbers of states. "At most one museum a day" is a bound on such a count.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <slackline/core/global_factor.h>
#include <slackline/core/structure.h>

namespace slackline::internal {

/// φ(y) = values[n] · e_{rows[n]}, where n is the number of variables with the state, for the
/// counts low ≤ n ≤ high; other counts are forbidden.
class StateCountFactor final : public GlobalFactor {
 public:
  /// Count n reads weight counts.rows[n] (kAbsent: none) times counts.values[n]. Both lists have
  /// one entry for each count from 0 to the number of variables, but `values` may be empty (all 1).
  /// Throws std::invalid_argument, also when no labelling has an allowed count.
  StateCountFactor(std::vector<Index> cardinalities, Index state, Index num_weights,
                   StateMap counts, Index low, Index high);

  std::string_view name() const override { return "count"; }
  std::span<const Index> cardinalities() const override { return cardinalities_; }
  Index num_weights() const override { return num_weights_; }
  void AddFeatures(std::span<const Index> states, double scale,
                   std::span<double> out) const override;
  /// Sorts the variables by their gain from the state: O(states + variables · log variables).
  double Maximize(std::span<const double> weights, std::span<const double> messages,
                  std::span<Index> states) const override;
  double Score(std::span<const double> weights, std::span<const Index> states) const override;
  bool IsRestricted() const override { return low_ > least_ || high_ < most_; }
  bool Allows(std::span<const Index> states) const override;

 private:
  Index Count(std::span<const Index> states) const;
  double CountScore(std::span<const double> weights, Index count) const;

  std::vector<Index> cardinalities_;
  Index state_;
  Index num_weights_;
  StateMap counts_;
  Index low_;
  Index high_;
  Index least_ = 0;  // the smallest and the largest count that a labelling can have
  Index most_ = 0;
};

}  // namespace slackline::internal
