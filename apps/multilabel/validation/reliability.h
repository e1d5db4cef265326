// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement of label probabilities with the truth. Every known entry (example, label) has the same
// weight.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The entries whose probability p lies in [k/10, (k+1)/10).
struct ReliabilityBin {
  double mean_predicted = 0;  ///< mean of p; 0 without entries
  double share_true = 0;      ///< fraction of the entries that are on; 0 without entries
  Offset count = 0;
};

inline constexpr std::size_t kReliabilityBins = 10;

struct Reliability {
  std::array<ReliabilityBin, kReliabilityBins> bins;  ///< bins[k]: p in [k/10, (k+1)/10)
  double brier_score = 0;                             ///< mean of (p − y)², y 0 or 1
  double log_loss = 0;  ///< mean of −log of the probability of the true state, in nats
  /// Mean over the entries of |mean_predicted − share_true| of their bin.
  double calibration_error = 0;
};

/// Probabilities in (0, 1) and true labels (1, 0, −1 = unknown) of the same entries. All 0 if
/// nothing is known.
Reliability ComputeReliability(std::span<const double> probabilities,
                               std::span<const std::int8_t> truth);

}  // namespace slackline::internal
