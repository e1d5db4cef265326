// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic labelling of grids: the training problem with many states and many cycles on which
// methods are compared.
#pragma once

#include <cstdint>

#include <slackline/core/loss.h>

namespace slackline::internal {

struct GridProblemOptions {
  Index examples = 50;
  Index rows = 20;
  Index cols = 20;
  Index states = 10;
  Index features = 30;  ///< dense, per variable
  /// Standard deviation around the prototype of the state, which is N(0, 1), before scaling.
  double feature_noise = 3;
  double label_noise = 0.05;  ///< share of variables whose label is drawn anew
  LossScale loss = LossScale::kMean;
  std::uint64_t seed = 1;
  /// Every row and every column is one global factor (TreeFactor) with the same weights, instead of
  /// a factor per edge: the same labelling scores in larger blocks.
  bool chains = false;
};

/// Every example is a grid of variables with an input vector each, `states` rows of weights on it
/// shared by all variables, and one full table of weights shared by all edges between horizontal
/// and vertical neighbours (first variable: left or upper). Labels: per state a smooth random field
/// (a sum of four waves of random direction and up to one and a half periods over the grid), the
/// label is the state of the largest field, before label noise. Features are drawn around the
/// prototype of the label without noise, and scaled to norm 1 on average. Throws
/// std::invalid_argument on counts below 1 or noise out of range.
TrainingSet MakeGridProblem(const GridProblemOptions& options);

}  // namespace slackline::internal
