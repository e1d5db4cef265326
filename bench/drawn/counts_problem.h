// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic labels of which three or four are on in every example, without and with a factor over
// all labels that knows their number.
#pragma once

#include <cstdint>

#include <slackline/core/loss.h>

namespace slackline::internal {

struct CountsOptions {
  Index examples = 500;
  Index labels = 25;
  bool counted = false;  ///< whether there is a factor on the number of labels (CardinalityFactor)
  std::uint64_t seed = 11;
};

/// Binary labels with all pairs and 12 features; the three or four labels with the largest noisy
/// linear scores are on. Throws std::invalid_argument on no examples or fewer than four labels.
TrainingSet MakeCountsProblem(const CountsOptions& options);

}  // namespace slackline::internal
