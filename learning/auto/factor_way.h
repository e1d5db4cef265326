// SPDX-License-Identifier: BSD-3-Clause
//
// Factor blocks as a way in a race (race_learner.h).
#pragma once

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The options of factor blocks in a race with these options.
TrainOptions FactorOptions(const TrainOptions& options);

/// Whether factor blocks solve the same problem as example blocks with these options, may be the
/// faster way, and fit in memory. Where parts of an example share weights, their steps undo each
/// other, even more than those of examples that share weights.
bool FactorsApply(const Problem& problem, const TrainOptions& options);

/// Array entries that a pass over all factor blocks counts as.
double PassOfFactors(const Problem& problem);

}  // namespace slackline::internal
