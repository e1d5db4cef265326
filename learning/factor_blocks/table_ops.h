// SPDX-License-Identifier: BSD-3-Clause
//
// The marginalisation matrices A_ci of table blocks, applied by strides: an axis with cardinality K
// and stride t splits a table of S states into S/(K·t) outer runs, each of K runs of t states.
#pragma once

#include <algorithm>

#include <slackline/core/types.h>

namespace slackline::internal {

/// marginal[s] = Σ of the table's states that agree with s on the axis. O(states).
inline void AxisMarginal(const double* table, Index states, Index cardinality, Index stride,
                         double* marginal) {
  std::fill(marginal, marginal + cardinality, 0.0);
  for (Index outer = 0; outer < states; outer += cardinality * stride) {
    for (Index s = 0; s < cardinality; ++s) {
      double sum = 0;
      const double* run = table + outer + s * stride;
      for (Index t = 0; t < stride; ++t) sum += run[t];
      marginal[s] += sum;
    }
  }
}

/// table[y] −= message[y_axis] (A_ciᵀ applied). O(states).
inline void SubtractMessage(const double* message, Index states, Index cardinality, Index stride,
                            double* table) {
  for (Index outer = 0; outer < states; outer += cardinality * stride) {
    for (Index s = 0; s < cardinality; ++s) {
      double* run = table + outer + s * stride;
      for (Index t = 0; t < stride; ++t) run[t] -= message[s];
    }
  }
}

/// The state of an axis in a joint state.
inline Index AxisState(Index joint, Index cardinality, Index stride) {
  return (joint / stride) % cardinality;
}

}  // namespace slackline::internal
