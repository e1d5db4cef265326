// SPDX-License-Identifier: BSD-3-Clause
//
// The Potts factor: φ(y_0, y_1) = [y_0 ≠ y_1], one weight. A negative weight rewards agreement, a
// positive one disagreement; learning may find either sign.
#pragma once

#include <array>
#include <span>

#include <slackline/factors/factor_concept.h>

namespace slackline::internal {

class PottsFactor {
 public:
  /// Both variables have `cardinality` ≥ 1 states.
  explicit PottsFactor(Index cardinality);

  std::span<const Index> cardinalities() const { return cardinalities_; }
  Index num_weights() const { return 1; }
  void AddFeatures(std::span<const Index> states, double scale,
                   std::span<double> weights_out) const {
    if (states[0] != states[1]) weights_out[0] += scale;
  }

  bool operator==(const PottsFactor& other) const = default;

 private:
  std::array<Index, 2> cardinalities_;
};

}  // namespace slackline::internal
