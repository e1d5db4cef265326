// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic pictures to segment: a training problem with few weights and large, similar examples,
// where steps on successive examples undo each other.
#pragma once

#include <cstdint>

#include <slackline/core/loss.h>

namespace slackline::internal {

struct PicturesOptions {
  Index examples = 20;
  Index side = 12;  ///< width and height in pixels
  /// 1 to 16. State 1 is a disc, and each further state a disc drawn over it.
  Index states = 2;
  Index extra_features = 0;  ///< per pixel, weakly informative
  LossScale loss = LossScale::kMean;
  std::uint64_t seed = 1;
};

/// A picture is `side` × `side` pixels of state 0, with a disc of a quarter to half of its width at
/// a random position for every other state. The inputs of a pixel are label + N(0, 1), 1, and
/// extra_features columns 0.3 label + N(0, 1). All pixels share one row of weights on the inputs
/// per state, and one weight for neighbours (horizontal and vertical) with the same label: states ·
/// (2 + extra_features) + 1 weights. Throws std::invalid_argument on counts out of range.
TrainingSet MakePicturesProblem(const PicturesOptions& options);

}  // namespace slackline::internal
