// SPDX-License-Identifier: BSD-3-Clause
//
// A user-defined global factor: one weight for "all variables are in the same state", whichever
// state that is.
#pragma once

#include <algorithm>
#include <vector>

#include <slackline/core/global_factor.h>

namespace slackline::internal::test {

class AllEqualFactor final : public GlobalFactor {
 public:
  AllEqualFactor(Index size, Index states) : cardinalities_(size, states) {}

  std::string_view name() const override { return "all equal"; }
  std::span<const Index> cardinalities() const override { return cardinalities_; }
  Index num_weights() const override { return 1; }
  void AddFeatures(std::span<const Index> y, double scale, std::span<double> out) const override {
    if (std::all_of(y.begin(), y.end(), [&](Index s) { return s == y[0]; })) out[0] += scale;
  }

  /// Compares three kinds of candidates: all variables in state s, for every s; every variable in
  /// its best state; every variable but one in its best state, and that one in its second best. The
  /// last kind is needed when the best states are equal and the weight is negative.
  double Maximize(std::span<const double> weights, std::span<const double> messages,
                  std::span<Index> y) const override {
    std::vector<Index> free;
    double best = -kInfinity;
    const auto consider = [&](const std::vector<Index>& states) {
      const double value = Score(weights, states) - MessageSum(cardinalities_, messages, states);
      if (value <= best) return;
      best = value;
      std::copy(states.begin(), states.end(), y.begin());
    };
    for (Index s = 0; s < cardinalities_[0]; ++s) consider(std::vector<Index>(y.size(), s));
    for (std::size_t i = 0; i < y.size(); ++i) free.push_back(Cheapest(messages, i, -1));
    consider(free);
    for (std::size_t i = 0; i < y.size() && cardinalities_[0] > 1; ++i) {
      std::vector<Index> other = free;
      other[i] = Cheapest(messages, i, free[i]);
      consider(other);
    }
    return best;
  }

 private:
  /// The state of variable i with the smallest message, other than `without`.
  Index Cheapest(std::span<const double> messages, std::size_t i, Index without) const {
    const double* own = messages.data() + i * cardinalities_[i];
    Index best = without == 0 ? 1 : 0;
    for (Index s = 0; s < cardinalities_[i]; ++s) {
      if (s != without && own[s] < own[best]) best = s;
    }
    return best;
  }

  std::vector<Index> cardinalities_;
};

}  // namespace slackline::internal::test
