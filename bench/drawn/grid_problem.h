// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic labelling of grids: a training problem with many states and many cycles, for comparing
// methods.
#pragma once

#include <cstdint>

#include <slackline/core/loss.h>

namespace slackline::internal {

struct GridProblemOptions {
  Index examples = 50;
  Index rows = 20;
  Index cols = 20;
  Index states = 10;
  Index features = 30;  ///< number of dense features per variable
  /// Standard deviation of the features around the prototype of the state, before scaling.
  /// Prototypes are N(0, 1).
  double feature_noise = 3;
  double label_noise = 0.05;  ///< fraction of variables whose label is redrawn
  LossScale loss = LossScale::kMean;
  std::uint64_t seed = 1;
  /// Makes every row and every column one global factor (TreeFactor), all with the same weights,
  /// instead of one factor per edge: the same scores in larger blocks.
  bool chains = false;
};

/// Every example is a grid of variables, each with an input vector. All variables share `states`
/// rows of weights on the inputs; all edges between horizontal and vertical neighbours share one
/// full table of weights (first variable: left or upper). Labels: each state has a smooth random
/// field (a sum of four waves of random direction and up to one and a half periods over the grid),
/// and the label is the state of the largest field, before label noise. Features are drawn around
/// the prototype of the label before noise and scaled to norm 1 on average. Throws
/// std::invalid_argument on counts below 1 or noise out of range.
TrainingSet MakeGridProblem(const GridProblemOptions& options);

}  // namespace slackline::internal
