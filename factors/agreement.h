// SPDX-License-Identifier: BSD-3-Clause
//
// The factor of associative Markov networks: φ_k(y_0, y_1) = [y_0 = y_1 = k], one weight per state,
// which rewards agreement in this state where it is positive. Source: Taskar, Chatalbashev, Koller,
// "Learning associative Markov networks", ICML 2004. Learning with constraints on signs
// (learning/sign_constraints.h) keeps the weights from becoming negative.
#pragma once

#include <array>
#include <span>

#include <slackline/factors/factor_concept.h>

namespace slackline::internal {

class AgreementFactor {
 public:
  /// Both variables have `cardinality` states. Throws std::invalid_argument when this is less than
  /// 1, or the table would be too large.
  explicit AgreementFactor(Index cardinality);

  std::span<const Index> cardinalities() const { return cardinalities_; }
  Index num_weights() const { return cardinalities_[0]; }
  void AddFeatures(std::span<const Index> states, double scale,
                   std::span<double> weights_out) const {
    if (states[0] == states[1]) weights_out[states[0]] += scale;
  }

  bool operator==(const AgreementFactor& other) const = default;

 private:
  std::array<Index, 2> cardinalities_;
};

}  // namespace slackline::internal
