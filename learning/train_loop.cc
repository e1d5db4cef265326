// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/train_loop.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <slackline/core/parallel.h>
#include <slackline/core/timer.h>

namespace slackline {
namespace {

/// Runs `work` and adds its elapsed time to *seconds.
template <class Work>
void Timed(double* seconds, const Work& work) {
  const WallTimer timer;
  work();
  *seconds += timer.Seconds();
}

/// Takes an evaluation into the record, and its weights into the summary when they are the best so far.
void Absorb(const Learner& learner, const Evaluation& evaluation, ProgressRecord* record,
            TrainSummary* summary) {
  record->problem = evaluation.problem;
  if (summary->weights.empty() || !(record->primal <= evaluation.primal)) {
    record->primal = evaluation.primal;
    summary->weights.assign(learner.weights().begin(), learner.weights().end());
  }
  record->dual = std::isnan(record->dual) ? evaluation.dual : std::max(record->dual, evaluation.dual);
  record->gap = record->primal - record->dual;
  record->relative_gap = RelativeGap(record->primal, record->dual);
  record->soft_primal = evaluation.soft_primal;
  record->soft_dual = evaluation.soft_dual;
  record->soft_gap = evaluation.soft_gap;
  record->violation = evaluation.violation;
  record->rho = evaluation.rho;
  record->tau = evaluation.tau;
  record->oracle_calls = learner.work().oracle_calls;
  record->block_steps = learner.work().block_steps;
}

/// The gap at which the options end the run, with the primal as it was last seen.
double WantedGap(const TrainOptions& options, const ProgressRecord& record) {
  return std::max(options.absolute_gap, options.gap_tolerance * std::abs(record.primal));
}

/// A run that has to end makes one more evaluation, so that no progress is lost — unless weights are at hand and the
/// evaluation would keep the user waiting: more than half a second, and more than a tenth of the run so far.
bool LastCheckIsWorthWaitingFor(const ProgressRecord& record, const TrainSummary& summary, Index checks) {
  if (summary.weights.empty()) return true;
  const double one_check = record.check_seconds / std::max<Index>(1, checks);
  return one_check < 0.5 || one_check < 0.1 * (record.seconds + record.check_seconds);
}

}  // namespace

TrainSummary RunTraining(Learner& learner, const TrainOptions& options, TrainObserver* observer,
                         const std::atomic<int>* interrupt) {
  const int threads = options.threads > 0 ? options.threads : HardwareThreads();
  const StopControl stop(interrupt, options.time_limit_seconds);
  const double cpu_start = ProcessCpuSeconds();
  TrainSummary summary;
  ProgressRecord record;
  Index next_check = NextCheck(0, options.check_every, !std::isnan(learner.GapEstimate()));
  Index hopeful_again = 0;  // the pass from which on a learner's own guess may ask for a check
  Index checks = 0;
  TrainOptions rules = options;
  std::optional<StopDecision> decision;
  Evaluation evaluation;
  while (true) {
    Timed(&record.seconds, [&] { learner.RunPass(stop); });
    ++record.pass;
    if (observer != nullptr) observer->OnPass(record.pass);
    const bool stopping = stop.ShouldStop();
    const bool hopeful = options.check_every == 0 && checks > 0 && record.pass >= hopeful_again &&
                         learner.GapEstimate() <= WantedGap(options, record);
    if (record.pass < next_check && !hopeful && record.pass < options.max_passes && !stopping) continue;

    if (stopping && !LastCheckIsWorthWaitingFor(record, summary, checks)) {
      decision = DecideStop(rules, learner.stopping_gap(), record, stop.interrupted());
      break;
    }
    ++checks;
    Timed(&record.check_seconds, [&] { evaluation = learner.Evaluate(threads); });
    // A learner whose stopping gap is its own saves the weights that the gap belongs to: the newest.
    if (learner.stopping_gap() == StoppingGap::kSoft) summary.weights.clear();
    Absorb(learner, evaluation, &record, &summary);
    record.cpu_seconds = ProcessCpuSeconds() - cpu_start;
    if (observer != nullptr) observer->OnCheck(record);
    rules.gap_tolerance = evaluation.provisional ? 0 : options.gap_tolerance;
    rules.absolute_gap = evaluation.provisional ? 0 : options.absolute_gap;
    decision = DecideStop(rules, learner.stopping_gap(), record, stop.interrupted());
    if (decision) break;
    std::string note;
    Timed(&record.seconds, [&] { note = learner.Adapt(evaluation); });
    if (!note.empty()) {
      if (observer != nullptr) observer->OnNote(note);
      summary.notes.push_back(std::move(note));
    }
    next_check = NextCheck(record.pass, options.check_every, !std::isnan(learner.GapEstimate()));
    hopeful_again = record.pass + std::max<Index>(1, record.pass / 10);
  }
  record.cpu_seconds = ProcessCpuSeconds() - cpu_start;
  summary.last = record;
  summary.termination = decision ? decision->reason : Termination::kTimeLimit;
  summary.message = decision ? decision->message : "time limit";
  return summary;
}

TrainSummary Train(const Problem& problem, const TrainOptions& options, TrainObserver* observer,
                   const std::atomic<int>* interrupt) {
  CheckOptions(options);
  const std::unique_ptr<Learner> learner = MakeLearner(problem, options);
  return RunTraining(*learner, options, observer, interrupt);
}

}  // namespace slackline
