// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/active_set_learner.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/core/parallel.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/proximal_control.h>

namespace slackline::internal {
namespace {

constexpr Index kRebuildEvery = 16;  // passes
constexpr double kSmallGap = 0.3;    // of the mean gap: not worth an oracle call
constexpr double kGrowth = 2;        // of a remembered gap, for every skipped visit
constexpr double kDrift = 0.05;      // of the mean gap, added as well
constexpr Index kMaxCachedRounds = 50;
constexpr Index kLongestRest = 8;  // passes without rounds over active sets
constexpr int kChunks = 64;

class ActiveSetLearner : public ActiveSetLearnerBase, public CheckCompanion {
 public:
  ActiveSetLearner(const Problem& problem, const TrainOptions& options)
      : ActiveSetLearnerBase(
            problem, options,
            {.solver = options.oracle, .searches = ExampleOracle::Searches::kOnDemand},
            {options.step, options.average, NumThreads(options.threads)}),
        gaps_(problem.size(), kInfinity),
        gap_bounds_(gaps_),
        expected_gaps_(gaps_),
        spreads_(gaps_) {
    traits_.companion = this;
    if (options.proximal != Switch::kOff) blocks_.MoveCentre(FirstKappa(problem));
  }

  void RunPass(const StopControl& stop) override {
    const Progress total = OracleRound(stop);
    oracle_work_ += total.work;
    if (rest_ > 0) {
      --rest_;
    } else {
      CachedRounds(stop, total);
    }
    if (!stop.ShouldStop()) MoveCentre();
    if (++pass_ % kRebuildEvery == 0) blocks_.Rebuild();
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
  double GapEstimate() const override { return Mean(gap_bounds_) + centre_gap_; }
  WorkCounts work() const override {
    return {blocks_.oracle_calls(), blocks_.steps(), blocks_.work()};
  }
  double WorkOfRound() const override {
    const auto calls = static_cast<double>(blocks_.oracle_calls());
    return calls > 0 ? static_cast<double>(oracle_work_) * problem_.size() / calls : 0;
  }

  void KeepDualPoint() override { best_point_.resize(gaps_.size()); }
  bool DualPointIsBest() const override {
    return options_.proximal == Switch::kOff || (!best_point_.empty() && !loaded_);
  }

  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override {
    if (best_point_.empty() || best_dual_ == -kInfinity) {
      *loss = NewestPoint(m, coordinates);
      return true;
    }
    const Structure& structure = problem_.data().example(m).structure();
    const SparsePoint& point = best_point_[m];
    coordinates->assign(structure.num_coordinates(), 0.0);
    for (std::size_t e = 0; e < point.index.size(); ++e)
      (*coordinates)[point.index[e]] = point.value[e];
    *loss = point.loss;
    return true;
  }

  void Archive(StateArchive* archive) override {
    archive->Tag("bcfw with corners");
    ArchiveCommon(archive);
    for (std::vector<double>* figures : {&gaps_, &gap_bounds_, &expected_gaps_, &spreads_})
      archive->AnyReals(*figures);
    archive->FiniteReal(&centre_gap_);
    control_.Archive(archive);
    ArchiveBestPoint(archive);
    for (std::int64_t* work : {&check_work_, &work_at_check_, &oracle_work_}) archive->Count(work);
    archive->Passes(&pass_);
    archive->Integer(&rest_, 0, kLongestRest);
    archive->Integer(&next_rest_, 1, kLongestRest);
    if (archive->loading()) share_ = 1;
  }

  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    // Nothing is known about the gaps of the new problem.
    std::fill(gaps_.begin(), gaps_.end(), kInfinity);
    gap_bounds_ = expected_gaps_ = spreads_ = gaps_;
    best_dual_ = -kInfinity;
    loaded_ = false;
    share_ = 1;
    rest_ = 0;
    oracle_work_ = 0;
    next_rest_ = 1;
    control_ = ProximalControl();
    if (options_.proximal != Switch::kOff && blocks_.kappa() == 0)
      blocks_.MoveCentre(FirstKappa(problem_));
  }

 private:
  /// Writes φ_m(μ_m) and returns Δ_m·μ_m of the newest α, mixed with the ground truth as in the
  /// last evaluation.
  double NewestPoint(Index m, std::vector<double>* coordinates) const {
    const double loss = blocks_.PointOfExample(m, coordinates);
    if (share_ < 1) {
      const ExampleView example = problem_.data().example(m);
      for (double& coordinate : *coordinates) coordinate *= share_;
      AddLabellingFeatures(example, example.labels(), 1 - share_, *coordinates);
    }
    return share_ * loss;
  }

  void KeepPoint(double dual) {
    best_dual_ = dual;
    std::vector<double> coordinates;
    for (Index m = 0; m < problem_.size(); ++m) {
      SparsePoint& point = best_point_[m];
      point.loss = NewestPoint(m, &coordinates);
      point.index.clear();
      point.value.clear();
      for (std::size_t k = 0; k < coordinates.size(); ++k) {
        if (coordinates[k] == 0) continue;
        point.index.push_back(static_cast<Index>(k));
        point.value.push_back(coordinates[k]);
      }
    }
  }

  void ArchiveBestPoint(StateArchive* archive) {
    bool known = !best_point_.empty() && !loaded_;
    archive->Flag(&known);
    if (archive->loading()) loaded_ = !known;
    if (!known) return;
    double dual = best_dual_;
    archive->Real(&dual);
    std::vector<SparsePoint> read(archive->loading() ? gaps_.size() : 0);
    for (Index m = 0; m < problem_.size(); ++m) {
      SparsePoint& point = archive->loading() ? read[m] : best_point_[m];
      archive->Indices(&point.index, 0,
                       problem_.data().example(m).structure().num_coordinates() - 1);
      archive->FiniteList(&point.value);
      archive->FiniteReal(&point.loss);
      archive->Require(point.index.size() == point.value.size(), "a dual point does not add up");
    }
    // Keep the current point if best points are not wanted, or if the current one is better: an
    // evaluation during the pass that is being undone may have found it.
    if (!archive->loading() || best_point_.empty() || best_dual_ > dual) return;
    best_point_ = std::move(read);
    best_dual_ = dual;
  }

  double Mean(std::span<const double> per_example) const {
    double sum = 0;
    for (const double value : per_example) sum += value;
    return sum / problem_.size();
  }

  /// beside: the next pass, which is run at the same time, or null.
  Evaluation EvaluateNow(int threads, const std::function<void()>* beside) {
    const double loss = blocks_.WeightsOfPoint(&evaluated_);
    const double regulariser = Regulariser(problem_.lambda(), evaluated_);
    Evaluation evaluation;
    evaluation.problem = certified();
    // With a proximal centre Ψα may be a poor dual point, and its mixture with the ground truth
    // better.
    share_ = blocks_.kappa() > 0 ? BestShare(loss, regulariser) : 1;
    evaluation.dual = share_ * loss - share_ * share_ * regulariser;
    if (!best_point_.empty() && evaluation.dual > best_dual_) KeepPoint(evaluation.dual);
    if (blocks_.kappa() > 0) {
      // If the centre has just been moved, the pass ended at the centre, and the newest weights lie
      // beyond it.
      evaluated_.assign(blocks_.reached().begin(), blocks_.reached().end());
    }
    std::vector<double> average;
    if (blocks_.averages()) blocks_.ReadAverage(&average);
    if (beside != nullptr) blocks_.CopyForChecks(&copy_);
    const ActiveSetBlocks::CheckCopy* copy = beside != nullptr ? &copy_ : nullptr;
    evaluation.primal =
        Regulariser(problem_.lambda(), evaluated_) + Hinge(evaluated_, threads, copy, beside);
    if (average.empty()) return evaluation;
    const auto primal = [&](std::span<const double> weights) {
      return Regulariser(problem_.lambda(), weights) + Hinge(weights, threads, copy, nullptr);
    };
    TakeIfBetter(std::move(average), primal, &evaluation);
    return evaluation;
  }

  struct Progress {
    double gain = 0;
    std::int64_t work = 0;
  };

  /// Makes rounds over the active sets while a round gains more for its work than the pass so far.
  /// When the first round already gains less, the next passes make no rounds; their number doubles
  /// each time.
  void CachedRounds(const StopControl& stop, Progress total) {
    for (Index round = 0; round < kMaxCachedRounds && !stop.ShouldStop(); ++round) {
      const Progress cached = CachedRound(stop);
      total.gain += cached.gain;
      total.work += cached.work;
      if (cached.gain * static_cast<double>(total.work) >
          total.gain * static_cast<double>(cached.work)) {
        next_rest_ = 1;
        continue;
      }
      if (round == 0) {
        rest_ = next_rest_;
        next_rest_ = std::min(2 * next_rest_, kLongestRest);
      }
      break;
    }
  }

  void MoveCentre() {
    if (blocks_.kappa() == 0) return;
    // With examples drawn with replacement, some may not have been visited yet.
    double sum = 0;
    Index known = 0;
    for (const double gap : gaps_) {
      if (!std::isfinite(gap)) continue;
      sum += gap;
      ++known;
    }
    if (known == 0) return;
    centre_gap_ = blocks_.CentreGap();
    const std::optional<double> kappa =
        control_.AfterPass(problem_.lambda(), blocks_.kappa(), sum / known, centre_gap_);
    if (!kappa) return;
    blocks_.MoveCentre(*kappa);
    if (*kappa == 0) centre_gap_ = 0;
  }

  /// Whether a visit is likely to be worth its cost, given a remembered gap and the mean gap. True
  /// for all orders but kGap. When false, the remembered gap grows.
  bool Worthwhile(double* remembered, double mean) const {
    if (options_.order != OrderKind::kGap || !(*remembered < kSmallGap * mean)) return true;
    *remembered = kGrowth * *remembered + kDrift * mean;
    return false;
  }

  /// The examples of the order with wanted(m), chosen before the first visit so that data of the
  /// next examples can be prefetched.
  template <class Wanted>
  std::span<const Index> Choose(const Wanted& wanted) {
    chosen_.clear();
    for (const Index m : Order()) {
      if (wanted(m)) chosen_.push_back(m);
    }
    return chosen_;
  }

  /// Visits, with oracle calls, the examples whose gap may be worth the call.
  Progress OracleRound(const StopControl& stop) {
    const double mean = Mean(gaps_);
    const std::int64_t before = blocks_.work();
    Progress progress;
    const std::span<const Index> chosen =
        Choose([&](Index m) { return Worthwhile(&expected_gaps_[m], mean); });
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      blocks_.PrefetchBehind(chosen, k);
      const std::size_t m = chosen[k];
      const ActiveSetBlocks::VisitResult visit = blocks_.Visit(chosen[k], true);
      gaps_[m] = visit.gap;
      gap_bounds_[m] = visit.open;
      expected_gaps_[m] = visit.open;
      spreads_[m] = visit.spread;
      progress.gain += visit.gain;
      if (stop.ShouldStop()) break;
    }
    progress.work = blocks_.work() - before;
    return progress;
  }

  /// Visits, without oracle calls, the examples with several corners whose spread may be worth the
  /// visit.
  Progress CachedRound(const StopControl& stop) {
    const double mean = MeanSpread();
    const std::int64_t before = blocks_.work();
    Progress progress;
    const std::span<const Index> chosen =
        Choose([&](Index m) { return several_[m] != 0 && Worthwhile(&spreads_[m], mean); });
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      blocks_.PrefetchBehind(chosen, k);
      const ActiveSetBlocks::VisitResult visit = blocks_.Visit(chosen[k], false);
      spreads_[chosen[k]] = visit.spread;
      progress.gain += visit.gain;
      if (stop.ShouldStop()) break;
    }
    progress.work = blocks_.work() - before;
    return progress;
  }

  /// Mean spread of the visited examples with several corners. Sets several_.
  double MeanSpread() {
    several_.resize(gaps_.size());
    double sum = 0;
    Index known = 0;
    for (Index m = 0; m < problem_.size(); ++m) {
      const double spread = spreads_[m];
      several_[m] = blocks_.kept(m) < 2 ? 0 : 1;
      if (blocks_.kept(m) < 2 || !std::isfinite(spread)) continue;
      sum += spread;
      ++known;
    }
    return known > 0 ? sum / known : 0;
  }

  std::span<const Index> Order() {
    if (options_.order != OrderKind::kUniform) return visits_.Permutation();
    drawn_.resize(gaps_.size());
    for (Index& m : drawn_) m = static_cast<Index>(visits_.random().Below(gaps_.size()));
    return drawn_;
  }

  /// (1/M) Σ of certified bounds on max H_m. Changes nothing that passes depend on.
  double Hinge(std::span<const double> weights, int threads, const ActiveSetBlocks::CheckCopy* copy,
               const std::function<void()>* beside) {
    return evaluator_.MeanHinge(weights, {.threads = threads, .chunks = kChunks, .beside = beside},
                                [&](Index m, ExampleOracle* oracle, HingeScratch* scratch) {
                                  return blocks_.HingeBound(m, weights, oracle, scratch, copy);
                                });
  }

  std::vector<double> gaps_;           // of the examples at their last oracle calls
  std::vector<double> gap_bounds_;     // gaps_ by the oracle's bounds
  std::vector<double> expected_gaps_;  // gap_bounds_, growing while an example is skipped
  std::vector<double> spreads_;        // of the sets' scores at the last visits; growing as well
  std::vector<Index> drawn_;
  std::vector<Index> chosen_;  // examples of a round
  // Per example, whether it had several corners at the start of the last round over active sets.
  std::vector<std::uint8_t> several_;
  ActiveSetBlocks::CheckCopy copy_;  // empty until a pass runs beside an evaluation
  struct SparsePoint {
    std::vector<Index> index;
    std::vector<double> value;
    double loss = 0;
  };
  std::vector<SparsePoint> best_point_;  // empty without KeepDualPoint
  double best_dual_ = -kInfinity;        // of best_point_
  bool loaded_ = false;                  // points of earlier evaluations were not kept
  std::int64_t check_work_ = 0;          // of the last evaluation
  std::int64_t work_at_check_ = 0;       // of all passes before it
  std::int64_t oracle_work_ = 0;         // of all oracle rounds, with their steps
  double share_ = 1;                     // of Ψα in the dual point that was last evaluated
  double centre_gap_ = 0;
  ProximalControl control_;
  Index rest_ = 0;       // next passes without rounds over active sets
  Index next_rest_ = 1;  // rest_ when rounds next do not pay
};

}  // namespace

std::unique_ptr<ActiveSetLearnerBase> MakeActiveSetLearner(const Problem& problem,
                                                           const TrainOptions& options) {
  return std::make_unique<ActiveSetLearner>(problem, options);
}

}  // namespace slackline::internal
