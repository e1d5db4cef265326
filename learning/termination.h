// SPDX-License-Identifier: BSD-3-Clause
//
// The stopping rules, as a pure function of what was measured.
#pragma once

#include <optional>
#include <string>

#include <slackline/learning/options.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

/// Which gap a learner stops on: soft blocks on the gap of their own penalized problem, all others
/// on the certified one.
enum class StoppingGap { kCertified, kSoft };

struct StopDecision {
  Termination reason = Termination::kConverged;
  std::string message;
};

/// Decides after an evaluation. A reached gap goes before limits, an interrupt before a time limit,
/// that before the number of passes. `interrupted`: the user asked to stop. Elapsed time is seconds
/// + check_seconds.
std::optional<StopDecision> DecideStop(const TrainOptions& options, StoppingGap which,
                                       const ProgressRecord& record, bool interrupted);

/// The pass after which the next evaluation is due, given that one was made after `pass` (0 = at
/// the start). guesses: the learner has a guess of the gap, which asks for an evaluation when it is
/// small enough: others need not be frequent.
Index NextCheck(Index pass, Index check_every, bool guesses);

}  // namespace slackline::internal
