// SPDX-License-Identifier: BSD-3-Clause
//
// What a training run reports while it goes on, and at its end. The library never prints; observers
// do.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// Whether the certified figures bracket the optimum of the LP-relaxed problem or of the exact one.
enum class CertifiedProblem { kRelaxed, kExact };

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// One evaluation. Figures that a learner does not have are NaN (kNone).
struct ProgressRecord {
  Index pass = 0;            ///< passes done
  double seconds = 0;        ///< elapsed time of passes and other changes of the learner's state
  double check_seconds = 0;  ///< elapsed time of evaluations, which change nothing
  double cpu_seconds = 0;    ///< processor time of both, all threads

  CertifiedProblem problem = CertifiedProblem::kRelaxed;
  /// Smallest certified upper bound so far; belongs to the weights that would be saved.
  double primal = kNone;
  /// Whether `primal` may be far above the objective at its weights, because their check was cut
  /// short (stop_relay.h).
  bool rough = false;
  /// Certified upper bound at the weights of this evaluation, which may be above `primal`.
  double check_primal = kNone;
  double dual = kNone;          ///< largest certified lower bound so far
  double gap = kNone;           ///< primal − dual
  double relative_gap = kNone;  ///< gap / max(1e-12, |primal|)

  /// Factor blocks: the penalized problem's primal, dual and gap at the current point.
  double soft_primal = kNone;
  double soft_dual = kNone;
  double soft_gap = kNone;
  double violation = kNone;  ///< factor blocks: largest |A_ci μ_c − μ_i| of the current point
  double rho = kNone;        ///< factor blocks: current ρ (per example)
  double tau = kNone;        ///< al: current multiplier step

  /// Maximisations over whole examples, without those of the checks.
  std::int64_t oracle_calls = 0;
  std::int64_t block_steps = 0;  ///< blocks visited
  /// With shards: rounds, and the critical processor seconds of the passes (WorkCounts).
  std::int64_t rounds = 0;
  double critical_seconds = 0;
};

/// "relaxed", "exact".
std::string_view Name(CertifiedProblem problem);

/// Calls visit(name, value) for what a record says, in the order of logs: numbers, and the problem
/// as a std::string_view. Figures of shards are left out where there are none.
template <class Visit>
void ForEachReportedFigure(const ProgressRecord& record, const Visit& visit) {
  visit("pass", record.pass);
  visit("seconds", record.seconds);
  visit("check_seconds", record.check_seconds);
  visit("cpu_seconds", record.cpu_seconds);
  visit("problem", Name(record.problem));
  visit("primal", record.primal);
  visit("check_primal", record.check_primal);
  visit("dual", record.dual);
  visit("gap", record.gap);
  visit("relative_gap", record.relative_gap);
  visit("soft_primal", record.soft_primal);
  visit("soft_dual", record.soft_dual);
  visit("soft_gap", record.soft_gap);
  visit("violation", record.violation);
  visit("rho", record.rho);
  visit("tau", record.tau);
  visit("oracle_calls", record.oracle_calls);
  visit("block_steps", record.block_steps);
  if (record.rounds == 0) return;
  visit("rounds", record.rounds);
  visit("critical_seconds", record.critical_seconds);
}

/// Why a run ended.
enum class Termination { kConverged, kMaxPasses, kTimeLimit, kInterrupted, kStalled };

/// "converged", "max-passes", "time-limit", "interrupted", "stalled".
std::string_view Name(Termination termination);

/// The result of a run.
struct TrainSummary {
  std::vector<double> weights;  ///< of the evaluation with the smallest certified primal
  ProgressRecord last;          ///< figures of the saved weights; counts and times of the whole run
  Termination termination = Termination::kMaxPasses;
  std::string message;  ///< one sentence with both numbers of the rule that ended the run
  std::vector<std::string> notes;  ///< what the learner decided or changed during the run
};

/// Receives the reports of a run, on the thread that trains.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  /// After every evaluation.
  virtual void OnCheck(const ProgressRecord& record) = 0;
  /// After every pass; `pass` passes are done.
  virtual void OnPass(Index pass) { static_cast<void>(pass); }
  /// When the learner decides something that a user may want to know (a chosen ρ, a safeguard that
  /// acted).
  virtual void OnNote(std::string_view note) { static_cast<void>(note); }
};

}  // namespace slackline::internal
