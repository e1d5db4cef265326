// SPDX-License-Identifier: BSD-3-Clause
//
// Stands for a learner whose preparation had to end early (stop_relay.h).
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Stays at w = 0, with the certificate of zero weights: the ground truths as dual point, and the
/// largest losses as primal. Makes no passes, and has no state to be saved. num_weights: the length
/// of its weights. Where several ranks train together, all of them must call it.
std::unique_ptr<Learner> MakeZeroLearner(const Problem& problem, const TrainOptions& options,
                                         Offset num_weights);

}  // namespace slackline::internal
