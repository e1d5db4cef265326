// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/active_set_learner.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <slackline/core/parallel.h>
#include <slackline/learning/example_blocks/active_set_rounds.h>
#include <slackline/learning/example_blocks/evaluated_point.h>
#include <slackline/learning/example_blocks/example_gaps.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/sign_constraints.h>
#include <slackline/learning/step/proximal_control.h>

namespace slackline::internal {
namespace {

constexpr int kChunks = 64;

class ActiveSetLearner : public ActiveSetLearnerBase, public CheckCompanion {
 public:
  ActiveSetLearner(const Problem& problem, const TrainOptions& options)
      : ActiveSetLearnerBase(problem, options,
                             {.solver = options.oracle,
                              .searches = ExampleOracle::Searches::kOnDemand,
                              .rescaling = options.rescaling,
                              .stop = options.stop},
                             {options.step, AverageRuleOf(options), NumThreads(options.threads)}),
        in_windows_(problem.data().WindowEnds().size() > 1),
        gaps_(problem.size(), options.order,
              ExamplesOutnumberWeights(problem.size(), problem.num_weights())),
        point_(options.proximal != Switch::kOff, [this](Index m, std::vector<double>* coordinates) {
          return blocks_.PointOfExample(m, coordinates);
        }) {
    traits_.companion = this;
    if (options.associative) blocks_.Constrain(SignsOf(problem, options));
    if (options.proximal != Switch::kOff) blocks_.MoveCentre(FirstKappa(problem));
  }

  void RunPass(const StopControl& stop) override {
    const VisitProgress total = OracleRound(stop);
    oracle_work_ += total.work;
    rounds_.Run(total, stop, [&] { return CachedRound(stop); });
    if (!stop.ShouldStop()) MoveCentre();
    if (++pass_ % ActiveSetBlocks::kRebuildEvery == 0) blocks_.Rebuild();
  }

  Evaluation Evaluate(int threads) override {
    const std::int64_t before = evaluator_.work();
    const Evaluation evaluation = EvaluateNow(threads, nullptr);
    check_work_ = evaluator_.work() - before;
    work_at_check_ = blocks_.work();
    return evaluation;
  }

  bool EvaluatesBesidePasses() const override { return !blocks_.threads_share_visits(); }
  Evaluation EvaluateBesidePass(int threads, const StopControl& stop,
                                double* pass_seconds) override {
    const std::int64_t before = evaluator_.work();
    const std::int64_t work = blocks_.work();
    const std::function<void()> pass = [&] {
      const WallTimer timer;
      RunPass(stop);
      *pass_seconds = timer.Seconds();
    };
    const Evaluation evaluation = EvaluateNow(threads, &pass);
    check_work_ = evaluator_.work() - before;
    work_at_check_ = work;
    return evaluation;
  }

  bool CheckIsCheap() const override { return blocks_.work() - work_at_check_ >= 2 * check_work_; }
  double GapEstimate() const override {
    return gaps_.SumOfBounds() / problem_.size() + centre_gap_;
  }
  WorkCounts work() const override {
    return {blocks_.oracle_calls(), blocks_.steps(), blocks_.work()};
  }
  double WorkOfRound() const override {
    const auto calls = static_cast<double>(blocks_.oracle_calls());
    return calls > 0 ? static_cast<double>(oracle_work_) * problem_.size() / calls : 0;
  }

  void KeepDualPoint() override { point_.Keep(problem_.size()); }
  bool DualPointIsBest() const override { return point_.is_best(); }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    *loss = point_.Read(problem_.data(), m, coordinates);
    return true;
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("bcfw with corners");
    ArchiveCommon(archive);
    gaps_.Archive(archive);
    archive->FiniteReal(&centre_gap_);
    control_.Archive(archive);
    point_.Archive(problem_.data(), archive);
    for (std::int64_t* work : {&check_work_, &work_at_check_, &oracle_work_}) archive->Count(work);
    archive->Passes(&pass_);
    rounds_.Archive(archive);
  }

  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    gaps_.Forget();
    point_.Forget();
    rounds_ = ActiveSetRounds();
    oracle_work_ = 0;
    control_ = ProximalControl();
    if (options_.proximal != Switch::kOff && blocks_.kappa() == 0)
      blocks_.MoveCentre(FirstKappa(problem_));
  }

 private:
  /// beside: the next pass, which is run at the same time, or null.
  Evaluation EvaluateNow(int threads, const std::function<void()>* beside) {
    // With a centre, the weights of the primal are known before those of the bound are summed, so
    // that one sweep can do for both. (In memory this is a little slower, since both vectors are
    // then in use at the same time.)
    const bool at_once = in_windows_ && blocks_.kappa() > 0 && threads == 1 && beside == nullptr;
    double hinge = 0;
    const double loss = at_once ? blocks_.WeightsAndHinge(blocks_.reached(), kChunks, &evaluator_,
                                                          &evaluated_, &hinge)
                                : blocks_.WeightsOfPoint(&evaluated_);
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    Evaluation evaluation;
    evaluation.problem = certified();
    evaluation.dual = point_.Evaluate(problem_.data(), loss, regulariser, blocks_.kappa());
    if (blocks_.kappa() > 0) {
      // If the centre has just been moved, the pass ended at the centre, and the newest weights lie
      // beyond it.
      evaluated_.assign(blocks_.reached().begin(), blocks_.reached().end());
    }
    std::vector<double> average;
    if (blocks_.averages()) blocks_.ReadAverage(&average);
    if (beside != nullptr) blocks_.CopyForChecks(&copy_);
    const ActiveSetBlocks::CheckCopy* copy = beside != nullptr ? &copy_ : nullptr;
    if (!at_once) hinge = Hinge(evaluated_, threads, copy, beside);
    evaluation.primal = Regulariser(problem_.lambda(), evaluated_) + hinge;
    if (average.empty()) return evaluation;
    const auto primal = [&](std::span<const double> weights) {
      return Regulariser(problem_.lambda(), weights) + Hinge(weights, threads, copy, nullptr);
    };
    TakeOutput(std::move(average), primal, &evaluation);
    return evaluation;
  }

  void MoveCentre() {
    if (blocks_.kappa() == 0) return;
    // With examples drawn with replacement, some may not have been visited yet.
    const ExampleGaps::Known gaps = gaps_.KnownGaps();
    if (gaps.count == 0) return;
    centre_gap_ = blocks_.CentreGap();
    const std::optional<double> kappa =
        control_.AfterPass(problem_.lambda(), blocks_.kappa(), gaps.sum / gaps.count, centre_gap_);
    if (!kappa) return;
    blocks_.MoveCentre(*kappa);
    if (*kappa == 0) centre_gap_ = 0;
  }

  /// Visits, with oracle calls, the examples whose gap may be worth the call.
  VisitProgress OracleRound(const StopControl& stop) {
    gaps_.ChooseForCalls(visits_.Examples(&drawn_), gaps_.Sum() / problem_.size(), &chosen_);
    return VisitChosen(stop, true);
  }

  /// Visits, without oracle calls, the examples with several corners whose spread may be worth the
  /// visit.
  VisitProgress CachedRound(const StopControl& stop) {
    const ExampleGaps::Known spreads = gaps_.Spreads(blocks_);
    const double mean = spreads.count > 0 ? spreads.sum / spreads.count : 0;
    gaps_.ChooseForSteps(visits_.Examples(&drawn_), mean, blocks_, &chosen_);
    return VisitChosen(stop, false);
  }

  VisitProgress VisitChosen(const StopControl& stop, bool ask) {
    const std::int64_t before = blocks_.work();
    VisitProgress progress;
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      blocks_.PrefetchBehind(chosen_, k);
      const ActiveSetBlocks::VisitResult visit = blocks_.Visit(chosen_[k], ask);
      gaps_.Visited(chosen_[k], ask, visit);
      progress.gain += visit.gain;
      if (stop.ShouldStop()) break;
    }
    progress.work = blocks_.work() - before;
    return progress;
  }

  /// (1/M) Σ of certified bounds on max H_m. Changes nothing that passes depend on.
  double Hinge(std::span<const double> weights, int threads, const ActiveSetBlocks::CheckCopy* copy,
               const std::function<void()>* beside) {
    return evaluator_.MeanHinge({.threads = threads, .chunks = kChunks, .beside = beside},
                                [&](Index m, ExampleOracle* oracle, HingeScratch* scratch) {
                                  return blocks_.HingeBound(m, weights, oracle, scratch, copy);
                                });
  }

  const bool in_windows_;  // the data do not fit in memory
  ExampleGaps gaps_;
  std::vector<Index> drawn_;
  // Examples of a round, chosen before the first visit so that their data can be prefetched.
  std::vector<Index> chosen_;
  ActiveSetBlocks::CheckCopy copy_;  // empty until a pass runs beside an evaluation
  EvaluatedPoint point_;
  std::int64_t check_work_ = 0;     // of the last evaluation
  std::int64_t work_at_check_ = 0;  // of all passes before it
  std::int64_t oracle_work_ = 0;    // of all oracle rounds, with their steps
  double centre_gap_ = 0;
  ProximalControl control_;
  ActiveSetRounds rounds_;
};

}  // namespace

std::unique_ptr<ActiveSetLearnerBase> MakeActiveSetLearner(const Problem& problem,
                                                           const TrainOptions& options) {
  return std::make_unique<ActiveSetLearner>(problem, options);
}

}  // namespace slackline::internal
