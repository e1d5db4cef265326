// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/train_loop.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <slackline/core/number_text.h>
#include <slackline/core/parallel.h>
#include <slackline/core/timer.h>
#include <slackline/learning/learner_registry.h>
#include <slackline/learning/run/loop_state.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
namespace {

/// Rounding error that a difference of bounds may have, relative to the losses and the objective.
constexpr double kProgressRounding = 1e-9;
/// The same relative to the scores, whose sums cancel.
constexpr double kRoundingOfScores = 1e-14;
/// Rounding beyond this share of the objective is reported to the user.
constexpr double kReportedRounding = 1e-6;

/// How far rounding may move bounds.
struct Rounding {
  double at_zero = 0;  ///< primal at w = 0
  double score_scale = 0;
  bool relaxation_exceeds_zero = false;
  /// At most c √P(w), since score_scale √P(w) bounds the scores. P(w) ≥ 0, so that where its
  /// computed value is negative, rounding r has r ≥ P(w), and r ≤ c √r.
  double OfScores(double primal) const {
    const double c = kRoundingOfScores * score_scale;
    return primal < 0 ? c * c : c * std::sqrt(primal);
  }
  double Of(double primal) const {
    return kProgressRounding * std::max(std::isnan(at_zero) ? 1.0 : at_zero, std::abs(primal)) +
           OfScores(primal);
  }
};

/// Runs `work` and adds its elapsed time to *seconds.
template <class Work>
void Timed(double* seconds, const Work& work) {
  const WallTimer timer;
  work();
  *seconds += timer.Seconds();
}

/// The lower bound, reduced to the upper bound if it exceeds that by no more than rounding. A
/// larger excess is a contradiction, which ends the run: throws CertificateError.
double WithoutRounding(std::string_view learner, double lower, double upper,
                       const Rounding& rounding) {
  if (!(lower > upper)) return lower;
  if (lower - upper <= rounding.Of(upper)) return upper;
  throw CertificateError(
      "learner " + std::string(learner) + " contradicts itself: its lower bound on the optimum, " +
      NumberText(lower, 9) + ", lies above its upper bound, " + NumberText(upper, 9) +
      ". One of the two is wrong, so that the run has no certificate and no model is written. This "
      "is an error of the program: please report it with the version, the command line and, if you "
      "can, the data");
}

/// Enters an evaluation into the state, with its weights when these are the best so far. Those of a
/// first check that was cut short are kept even if w = 0 has a smaller bound.
void Absorb(const TrainOptions& options, const Learner& learner, const Evaluation& evaluation,
            const Rounding& rounding, bool cut_short, LoopState* state) {
  const std::string_view name = Name(options.learner);
  const bool soft = learner.traits().stopping_gap == StoppingGap::kSoft;
  // With the soft stopping gap, the saved weights are the newest, to which that gap belongs.
  if (soft || options.keep_newest) state->weights.clear();
  if (!std::isfinite(evaluation.primal)) {
    throw std::overflow_error("training overflowed: the objective is not a finite number");
  }
  ProgressRecord& record = state->record;
  // An upper bound of the exact problem is none of the relaxed one.
  if (record.problem == CertifiedProblem::kExact &&
      evaluation.problem == CertifiedProblem::kRelaxed)
    state->weights.clear();
  record.problem = evaluation.problem;
  record.check_primal = evaluation.primal;
  const bool first = state->weights.empty();
  if (first || !(record.primal <= evaluation.primal)) {
    record.primal = evaluation.primal;
    record.rough = cut_short;
    state->weights.assign(learner.weights().begin(), learner.weights().end());
  }
  StateReader::Require(state->weights.size() == learner.weights().size(),
                       "the weights have another length");
  // w = 0 is a model like any other, and its primal is known without a check. The ground truth of
  // all examples is a dual point of value 0.
  const bool zero_is_known =
      record.problem == CertifiedProblem::kExact || !rounding.relaxation_exceeds_zero;
  if (!soft && !options.keep_newest && zero_is_known && !(cut_short && first) &&
      rounding.at_zero < record.primal) {
    record.primal = rounding.at_zero;
    record.rough = false;
    std::fill(state->weights.begin(), state->weights.end(), 0.0);
  }
  record.dual = std::max({0.0, evaluation.dual, std::isnan(record.dual) ? 0.0 : record.dual});
  record.dual = WithoutRounding(name, record.dual, record.primal, rounding);
  record.gap = record.primal - record.dual;
  record.relative_gap = RelativeGap(record.primal, record.dual);
  record.soft_primal = evaluation.soft_primal;
  record.soft_dual = WithoutRounding(name, evaluation.soft_dual, evaluation.soft_primal, rounding);
  record.soft_gap = record.soft_primal - record.soft_dual;
  record.violation = evaluation.violation;
  record.rho = evaluation.rho;
  record.tau = evaluation.tau;
  state->provisional = evaluation.provisional;
}

/// The scales of the learner's objective, or of the problem, which may be null.
ObjectiveScales ScalesFor(const Problem* problem, const LearnerTraits& traits) {
  if (traits.scales != nullptr) return traits.scales->Scales();
  return problem == nullptr ? ObjectiveScales{} : ScalesOf(*problem);
}

/// Whether contradictory numbers in a saved state may have caused the error.
bool MayBeOfSavedState(const std::exception& error) {
  return dynamic_cast<const std::logic_error*>(&error) != nullptr ||
         dynamic_cast<const std::overflow_error*>(&error) != nullptr ||
         dynamic_cast<const CertificateError*>(&error) != nullptr;
}

/// The gap at which the options end the run at this primal.
double WantedGap(const TrainOptions& options, double primal) {
  return std::max(options.absolute_gap, options.gap_tolerance * std::abs(primal));
}

/// An estimated gap beyond this share of the objective at w = 0 is not worth a check, until
/// kPassesThatSkipHopelessChecks passes have been made.
constexpr double kHopelessGap = 0.001;
constexpr Index kPassesThatSkipHopelessChecks = 8;

/// A run that must end makes one more evaluation, so that no progress is lost. It does not if it
/// has weights already and the evaluation would keep the user waiting: for more than half a second,
/// and for more than a tenth of the run so far.
bool LastCheckIsWorthWaitingFor(const LoopState& state) {
  if (state.weights.empty()) return true;
  const double one_check = state.record.check_seconds / std::max<Index>(1, state.checks);
  return one_check < 0.5 || one_check < 0.1 * (state.record.seconds + state.record.check_seconds);
}

/// One run. The loop makes a pass of the learner, then a check if one is due; states are saved
/// between the two. With several threads the next pass may be made during a check. If that check
/// ends the run, the learner returns to its state before the pass.
class Run {
 public:
  Run(const Problem* problem, Learner& learner, const TrainOptions& options,
      TrainObserver* observer, const std::atomic<int>* interrupt, const CheckpointPlan& plan)
      : learner_(learner),
        options_(options),
        observer_(observer),
        plan_(plan),
        ranks_(RanksOf(options)),
        traits_(learner.traits()),
        scales_(ScalesFor(problem, traits_)) {
    const bool resumed = !plan.resume.empty();
    if (resumed) Restore();
    const ProgressRecord& record = state_.record;
    cpu_before_ = record.cpu_seconds;
    cpu_start_ = ProcessCpuSeconds();
    // The clock of rank 0 decides when the time is over.
    stop_.emplace(interrupt, ranks_.first() ? options.time_limit_seconds : 0,
                  record.seconds + record.check_seconds +
                      (options.stop != nullptr ? options.stop->TakePreparationSeconds() : 0),
                  !ranks_.alone());
    relay_.emplace(options.stop, &*stop_);
    if (options.stop != nullptr && options.stop->preparation_ended()) {
      state_.notes.emplace_back(
          "the run had to end while the learner was being prepared: all weights are 0");
    }
    if (!resumed)
      state_.next_check = NextCheck(0, options.check_every, !std::isnan(GapEstimate(learner)));
    KeepState();
  }

  /// To be called when an error has ended the run. Throws DataError when the run was resumed from a
  /// saved state that may have caused the error: every number of the state was checked, but the
  /// numbers may contradict each other (such as messages so large that a bound has no correct
  /// digits).
  void BlameResumedState(const std::exception& error) const {
    if (!MayBeOfSavedState(error)) return;
    StateReader::Require(plan_.resume.empty(),
                         std::string("the run cannot continue from it: ") + error.what() +
                             " (if a run from the beginning fails in the same way, this is an "
                             "error of the program: please report it)");
  }

  TrainSummary Go() {
    // A saved state was taken after a pass, the check of which may be due.
    if (state_.record.pass == 0) Pass();
    while (!CheckAndDecide()) {
      if (!std::exchange(ahead_, false)) Pass();
    }
    CountCpuSeconds();
    if (!kept_is_written_ && !kept_.bytes().empty()) WriteKept();
    ReportRounding();
    TrainSummary summary;
    summary.weights = std::move(state_.weights);
    summary.last = state_.record;
    summary.notes = std::move(state_.notes);
    summary.termination = decision_ ? decision_->reason : Termination::kTimeLimit;
    summary.message = decision_ ? decision_->message : "time limit";
    return summary;
  }

 private:
  void Pass() {
    pass_cost_ = 0;
    Timed(&pass_cost_, [&] { learner_.RunPass(*stop_); });
    state_.record.seconds += pass_cost_;
    AfterPass();
  }

  /// The processor seconds of the run so far, of all ranks.
  void CountCpuSeconds() {
    state_.record.cpu_seconds = cpu_before_ + ranks_.SumOfReals(ProcessCpuSeconds() - cpu_start_);
  }
  /// Takes times from rank 0, where they may decide something.
  void TakeTimes() {
    if (ranks_.alone()) return;
    double times[] = {state_.record.seconds, state_.record.check_seconds};
    ranks_.TakeFromFirst(&times);
    state_.record.seconds = times[0];
    state_.record.check_seconds = times[1];
  }

  void AfterPass() {
    ++state_.record.pass;
    stop_->Agree(ranks_);
    TakeTimes();
    // A pass that was asked to stop may have been cut short. A run resumed from such a state would
    // not replay the uninterrupted run.
    whole_ = whole_ && !stop_->ShouldStop();
    if (observer_ != nullptr) observer_->OnPass(state_.record.pass);
    KeepState();
  }

  Rounding rounding() const {
    return {scales_.primal_at_zero, scales_.score_scale, scales_.relaxation_exceeds_zero};
  }

  void ReportRounding() {
    const double primal = state_.record.primal;
    const double moved = rounding().OfScores(primal);
    if (!(moved > kReportedRounding * primal)) return;
    state_.notes.push_back(
        "features are so large for this lambda that rounding may change the bounds by up to " +
        NumberText(moved, 2) + "; scale the features, or use a larger lambda");
  }

  bool CheckIsDue(bool stopping) const {
    const ProgressRecord& record = state_.record;
    const double estimate = GapEstimate(learner_);
    const double wanted =
        WantedGap(options_, state_.checks > 0 ? record.primal : scales_.primal_at_zero);
    // The first weights of a run are often far from the optimum, and oracles at them are costly.
    const bool hopeful =
        options_.check_every == 0 && record.pass >= state_.hopeful_again && estimate <= wanted;
    const bool hopeless = options_.check_every == 0 &&
                          record.pass < kPassesThatSkipHopelessChecks &&
                          estimate > kHopelessGap * scales_.primal_at_zero;
    const bool costly = options_.check_every == 0 && !CheckIsCheap(learner_);
    const bool due = record.pass >= state_.next_check && !hopeless && !costly;
    return due || hopeful || record.pass >= options_.max_passes || stopping;
  }

  /// Makes a check if one is due. Returns true when the run must end.
  bool CheckAndDecide() {
    const bool stopping = stop_->ShouldStop();
    if (!CheckIsDue(stopping)) return false;
    if (stopping && !LastCheckIsWorthWaitingFor(state_)) {
      decision_ = Decide();
      return true;
    }
    if (plan_.write && plan_.copy_before_checks && whole_) CopyState();
    ++state_.checks;
    ProgressRecord& record = state_.record;
    // The counts are read before the next pass, which may be made beside the check.
    const WorkCounts work = learner_.work();
    const int threads = NumThreads(options_.threads);
    double pass_seconds = 0;
    ahead_ = PassBesideCheckPays(threads, stopping);
    Evaluation evaluation;
    double elapsed = 0;
    Timed(&elapsed, [&] {
      if (ahead_) KeepForReturn();
      evaluation = ahead_ ? traits_.companion->EvaluateBesidePass(threads, *stop_, &pass_seconds)
                          : learner_.Evaluate(threads);
    });
    const bool cut_short = options_.stop != nullptr && ranks_.Any(options_.stop->TakeRough());
    Absorb(options_, learner_, evaluation, rounding(), cut_short, &state_);
    if (record.rough) {
      state_.notes.emplace_back(
          "the run had to end during a check: the objective is a rough upper bound of its value at "
          "these weights");
    }
    record.oracle_calls = work.oracle_calls;
    record.block_steps = work.block_steps;
    record.rounds = work.rounds;
    record.critical_seconds = work.critical_seconds;
    record.check_seconds += elapsed - pass_seconds;
    check_cost_ = elapsed * threads - pass_seconds;
    if (ahead_) pass_cost_ = pass_seconds;
    CountCpuSeconds();
    TakeTimes();
    if (observer_ != nullptr) observer_->OnCheck(record);
    decision_ = Decide();
    if (!decision_) decision_ = DecideStalled();
    if (decision_) {
      Timed(&record.check_seconds, [&] { UndoPassAhead(); });
      record.check_seconds += pass_seconds;
      return true;
    }
    record.seconds += pass_seconds;
    std::string note;
    Timed(&record.seconds, [&] { note = Adapt(learner_, evaluation); });
    if (!note.empty()) {
      if (observer_ != nullptr) observer_->OnNote(note);
      state_.notes.push_back(std::move(note));
    }
    const Index before = PassesBefore(learner_);
    const Index own = record.pass - before;
    state_.next_check =
        before + NextCheck(own, options_.check_every, !std::isnan(GapEstimate(learner_)));
    state_.hopeful_again = record.pass + std::max<Index>(1, own / 10);
    if (ahead_) AfterPass();
    return false;
  }

  /// Whether to make the next pass during a check. A check without such a pass is divided among all
  /// threads, too. A pass during a check occupies one of the threads; it requires a copy of the
  /// state, and the pass during the last check is made for nothing. This pays where a check takes
  /// clearly longer than a pass and than waking a thread. The choice does not change the result.
  bool PassBesideCheckPays(int threads, bool stopping) const {
    const ProgressRecord& record = state_.record;
    if (threads < 2 || stopping || !EvaluatesBesidePasses(learner_) ||
        record.pass >= options_.max_passes)
      return false;
    return check_cost_ >= std::max(kLeastCheckSeconds, kLeastCheckInPasses * pass_cost_);
  }

  void KeepForReturn() {
    before_pass_.Clear();
    learner_.Save(&before_pass_);
  }

  /// Undoes the pass that was made during the last check, if there was one.
  void UndoPassAhead() {
    if (!ahead_) return;
    ahead_ = false;
    StateReader reader(before_pass_.bytes());
    learner_.Load(&reader);
    reader.Finish();
  }

  std::optional<StopDecision> Decide() const {
    TrainOptions rules = options_;
    if (state_.provisional) rules.gap_tolerance = rules.absolute_gap = 0;
    // The time limit covers everything in the run, its preparation, observers and saving of states
    // included, because learners cut their passes short when the limit is reached.
    ProgressRecord record = state_.record;
    if (stop_->ShouldStop())
      record.check_seconds = std::max(record.check_seconds, stop_->Elapsed() - record.seconds);
    ranks_.TakeFromFirst(&record.check_seconds);
    return DecideStop(rules, traits_.stopping_gap, record, stop_->interrupted());
  }

  std::optional<StopDecision> DecideStalled() {
    if (state_.provisional) {
      state_.stall = {};
      return std::nullopt;
    }
    return DecideStall(options_, traits_.stopping_gap, state_.record, UsesOracle(options_.learner),
                       StallAdvice(), &state_.stall);
  }

  std::string StallAdvice() const {
    const ProgressRecord& record = state_.record;
    if (record.gap <= 10 * rounding().Of(record.primal)) return "rounding errors are as large";
    if (options_.learner == LearnerKind::kPdhg) return "a larger gap or lambda can be reached";
    if (UsesOracle(options_.learner) && record.problem == CertifiedProblem::kRelaxed)
      return "labellings alone do not reach the optimum of the relaxed problem: --learner pdhg "
             "does, and --certify exact bounds that of the exact one";
    return "--learner auto chooses another learner";
  }

  /// Copies the state into kept_ if it is complete and time for that has come. Measured time
  /// decides when states are copied, but not what they contain.
  void KeepState() {
    if (!plan_.write || !whole_) return;
    bool times[] = {since_written_.Seconds() >= plan_.every_seconds,
                    since_kept_.Seconds() >= kKeepEvery * keep_seconds_};
    ranks_.TakeFromFirst(&times);
    const auto [due, cheap] = times;
    if (!due && !cheap && state_.record.pass < options_.max_passes) return;
    CopyState();
    if (due && state_.record.pass > 0) Timed(&state_.record.check_seconds, [&] { WriteKept(); });
  }

  void CopyState() {
    double spent = 0;
    Timed(&spent, [&] {
      CountCpuSeconds();
      kept_.Clear();
      StateArchive archive(&kept_);
      state_.Archive(&archive);
      learner_.Archive(&archive);
      kept_is_written_ = false;
    });
    keep_seconds_ = spent;
    since_kept_.Restart();
    state_.record.check_seconds += spent;
  }

  void WriteKept() {
    plan_.write(kept_.bytes(), kept_.parts());
    kept_is_written_ = true;
    since_written_.Restart();
  }

  void Restore() {
    StateReader reader(plan_.resume);
    StateArchive archive(&reader);
    state_.Archive(&archive);
    learner_.Archive(&archive);
    reader.Finish();
  }

  /// Least time between two copies of the state, in units of the time that one copy takes.
  static constexpr double kKeepEvery = 30;
  /// Least seconds of a check that justify a pass beside it.
  static constexpr double kLeastCheckSeconds = 1e-3;
  /// Least time of a check that justifies a pass beside it, in units of the time of a pass.
  static constexpr double kLeastCheckInPasses = 1.25;

  Learner& learner_;
  const TrainOptions& options_;
  TrainObserver* observer_;
  const CheckpointPlan& plan_;
  Ranks& ranks_;
  const LearnerTraits traits_;
  const ObjectiveScales scales_;  // a sweep over all losses: once, not in every pass
  LoopState state_;
  std::optional<StopControl> stop_;
  std::optional<StopRelay::Scope> relay_;
  std::optional<StopDecision> decision_;
  double cpu_before_ = 0;  // of the runs that this one continues
  double cpu_start_ = 0;
  bool whole_ = true;      // no pass may have been cut short
  bool ahead_ = false;     // the learner has already made the next pass
  double pass_cost_ = 0;   // seconds of the last pass
  double check_cost_ = 0;  // seconds of the last check, of all threads together; 0 before the first
  StateWriter before_pass_;

  StateWriter kept_;
  bool kept_is_written_ = true;
  double keep_seconds_ = 0;
  WallTimer since_kept_;
  WallTimer since_written_;
};

TrainSummary RunToEnd(const Problem* problem, Learner& learner, const TrainOptions& options,
                      TrainObserver* observer, const std::atomic<int>* interrupt,
                      const CheckpointPlan& plan) {
  Run run(problem, learner, options, observer, interrupt, plan);
  try {
    return run.Go();
  } catch (const std::exception& error) {
    run.BlameResumedState(error);
    throw;
  }
}

}  // namespace

TrainSummary RunTraining(const Problem& problem, Learner& learner, const TrainOptions& options,
                         TrainObserver* observer, const std::atomic<int>* interrupt,
                         const CheckpointPlan& plan) {
  return RunToEnd(&problem, learner, options, observer, interrupt, plan);
}

TrainSummary RunTraining(Learner& learner, const TrainOptions& options, TrainObserver* observer,
                         const std::atomic<int>* interrupt, const CheckpointPlan& plan) {
  return RunToEnd(nullptr, learner, options, observer, interrupt, plan);
}

TrainSummary Train(const Problem& problem, const TrainOptions& options, TrainObserver* observer,
                   const std::atomic<int>* interrupt) {
  CheckOptions(options);
  const Problem own = options.lambda > 0 ? problem.WithLambda(options.lambda) : problem;
  StopRelay relay(options.time_limit_seconds, interrupt);
  TrainOptions with_stop = options;
  with_stop.stop = &relay;
  const std::unique_ptr<Learner> learner = MakeLearner(own, with_stop);
  return RunTraining(own, *learner, with_stop, observer, interrupt);
}

}  // namespace slackline::internal
