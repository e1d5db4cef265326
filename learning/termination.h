// SPDX-License-Identifier: BSD-3-Clause
//
// The stopping rules, as a pure function of the figures of a check.
#pragma once

#include <optional>
#include <string>

#include <slackline/learning/options.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

/// Which gap ends a run: that of the learner's own penalized problem (soft), or the certified gap
/// (all other learners).
enum class StoppingGap { kCertified, kSoft };

/// Why a run ends, and one sentence with the figures of the rule.
struct StopDecision {
  Termination reason = Termination::kConverged;
  std::string message;
};

/// Decides after an evaluation whether the run ends. The reasons, in order of precedence: a reached
/// gap, an interrupt, the time limit, the number of passes. `interrupted`: the user asked to stop.
/// Elapsed time is record.seconds + record.check_seconds.
std::optional<StopDecision> DecideStop(const TrainOptions& options, StoppingGap which,
                                       const ProgressRecord& record, bool interrupted);

/// What decides that a run cannot reach its gap: the gap at an earlier check. Counted in passes, so
/// that runs replay.
struct StallWatch {
  Index pass = 0;           ///< of the earlier check; 0: none yet
  double gap = kInfinity;   ///< the smallest one up to that check
  double best = kInfinity;  ///< the smallest one so far
};

/// To be called after every check after which the run may go on. Decides that the run has stalled
/// when so many times the passes have left the gap almost as it was: by then, each factor of two
/// would take so many more that no patience helps. Twice the passes where the dual never falls from
/// step to step (steady); ten times for other learners, whose bounds may stand still while
/// multipliers grow. Runs without a wanted gap never stall. advice: what would do, a clause for the
/// message.
std::optional<StopDecision> DecideStall(const TrainOptions& options, StoppingGap which,
                                        const ProgressRecord& record, bool steady,
                                        const std::string& advice, StallWatch* watch);

/// The pass after which the next evaluation is due, given that one was made after `pass` (0 = at
/// the start). guesses: the learner estimates its gap. The loop also evaluates when that estimate
/// is small enough, so that scheduled evaluations can be rarer.
Index NextCheck(Index pass, Index check_every, bool guesses);

}  // namespace slackline::internal
