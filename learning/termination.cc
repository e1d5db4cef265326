// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/termination.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <slackline/core/number_text.h>

namespace slackline::internal {

std::string_view Name(Termination termination) {
  switch (termination) {
    case Termination::kConverged:
      return "converged";
    case Termination::kMaxPasses:
      return "max-passes";
    case Termination::kTimeLimit:
      return "time-limit";
    case Termination::kInterrupted:
      return "interrupted";
    case Termination::kStalled:
      return "stalled";
  }
  return "?";
}

std::string_view Name(CertifiedProblem problem) {
  return problem == CertifiedProblem::kExact ? "exact" : "relaxed";
}

namespace {

/// Passes before the first comparison: learners may need many until their bounds begin to move.
constexpr Index kPassesBeforeStall = 200;
/// A run has stalled where many times the passes have left this share of the gap.
constexpr double kStalledShare = 0.99;

std::string ThreeDigits(double value) { return NumberText(value, 3); }

}  // namespace

std::optional<StopDecision> DecideStop(const TrainOptions& options, StoppingGap which,
                                       const ProgressRecord& record, bool interrupted) {
  const bool soft = which == StoppingGap::kSoft;
  const double gap = soft ? record.soft_gap : record.gap;
  const double primal = soft ? record.soft_primal : record.primal;
  const double relative = gap / std::max(1e-12, std::abs(primal));
  const std::string kind = soft ? "soft" : "certified";
  if (options.gap_tolerance > 0 && relative <= options.gap_tolerance) {
    return StopDecision{Termination::kConverged, kind + " relative gap " + ThreeDigits(relative) +
                                                     " <= " + ThreeDigits(options.gap_tolerance)};
  }
  if (options.absolute_gap > 0 && gap <= options.absolute_gap) {
    return StopDecision{Termination::kConverged, kind + " gap " + ThreeDigits(gap) +
                                                     " <= " + ThreeDigits(options.absolute_gap)};
  }
  const std::string reached = kind + " relative gap " + ThreeDigits(relative) + ", wanted " +
                              ThreeDigits(options.gap_tolerance);
  if (interrupted) return StopDecision{Termination::kInterrupted, reached};
  const double elapsed = record.seconds + record.check_seconds;
  if (options.time_limit_seconds > 0 && elapsed >= options.time_limit_seconds) {
    return StopDecision{Termination::kTimeLimit, ThreeDigits(elapsed) + " s of at most " +
                                                     ThreeDigits(options.time_limit_seconds) +
                                                     " s, " + reached};
  }
  if (record.pass >= options.max_passes) {
    return StopDecision{Termination::kMaxPasses,
                        std::to_string(record.pass) + " passes of at most " +
                            std::to_string(options.max_passes) + ", " + reached};
  }
  return std::nullopt;
}

std::optional<StopDecision> DecideStall(const TrainOptions& options, StoppingGap which,
                                        const ProgressRecord& record, bool steady,
                                        const std::string& advice, StallWatch* watch) {
  if (options.gap_tolerance <= 0 && options.absolute_gap <= 0) return std::nullopt;
  const bool soft = which == StoppingGap::kSoft;
  watch->best = std::min(watch->best, soft ? record.soft_gap : record.gap);
  if (record.pass < kPassesBeforeStall || record.pass < (steady ? 2 : 10) * watch->pass)
    return std::nullopt;
  const StallWatch before = *watch;
  watch->pass = record.pass;
  watch->gap = watch->best;
  if (before.pass == 0 || !(watch->best >= kStalledShare * before.gap)) return std::nullopt;
  const double primal = soft ? record.soft_primal : record.primal;
  const auto relative = [&](double gap) {
    return ThreeDigits(gap / std::max(1e-12, std::abs(primal)));
  };
  return StopDecision{Termination::kStalled,
                      std::string(soft ? "soft" : "certified") + " relative gap " +
                          relative(before.gap) + " after " + std::to_string(before.pass) +
                          " passes and " + relative(watch->best) + " after " +
                          std::to_string(record.pass) + ", wanted " +
                          ThreeDigits(options.gap_tolerance) + "; " + advice};
}

Index NextCheck(Index pass, Index check_every, bool guesses) {
  if (check_every > 0) return pass + check_every;
  return guesses ? pass + std::max<Index>(2, pass / 2) : pass + std::max<Index>(1, pass / 5);
}

}  // namespace slackline::internal
