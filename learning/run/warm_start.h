// SPDX-License-Identifier: BSD-3-Clause
//
// Warm starts: a run begins where an earlier run on the same data has ended. If the options and λ
// are the same, the run resumes the saved state. If λ differs, a learner with the trait
// LambdaFollower can take the dual point of the saved state: the run then begins near its optimum,
// and counts its passes anew.
#pragma once

#include <memory>
#include <string_view>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/run/fingerprint.h>

namespace slackline::internal {

/// What a run can take from the state of an earlier one.
enum class Continuation {
  kNew,     ///< nothing: data or options differ
  kFollow,  ///< the dual point: λ differs, and besides at most outer options
  kResume,  ///< everything: at most outer options, such as tolerances and limits, differ
};

/// Compares what the two runs depend on.
Continuation ContinuationFrom(const Fingerprint& saved, const Fingerprint& now);

/// A learner for the problem that continues from the dual point in `state`: the state
/// (CheckpointPlan) of a run on the same data with λ = state_lambda and the same options except
/// outer ones. options.lambda is not read. Null when the learner cannot continue with another λ.
/// Throws what MakeLearner throws, and DataError when the state does not fit.
std::unique_ptr<Learner> FollowLambda(const Problem& problem, const TrainOptions& options,
                                      std::string_view state, double state_lambda);

}  // namespace slackline::internal
