// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/cross_validation.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/timer.h>
#include <slackline/learning/default_lambda.h>

namespace slackline::internal {
namespace {

const double kFactor = std::sqrt(10.0);
/// At most so many values are added beyond an end, which is a factor of 1000.
constexpr int kMostExtensions = 6;
/// For a guess of the remaining time: each training takes this many times as long as the one with
/// the next larger λ.
constexpr double kSlowdown = 1.6;

/// One candidate in one fold, whose trainings run one after the other.
struct Lane {
  std::size_t candidate = 0;
  std::size_t fold = 0;
};

class CvRun {
 public:
  CvRun(const CvApplication& application, const CvPlan& plan, const std::atomic<int>* interrupt)
      : application_(application),
        plan_(plan),
        interrupt_(interrupt),
        ranks_(RanksOrOne(plan.ranks)) {}

  CvResult Run() {
    std::vector<std::size_t> candidates(plan_.candidates.size());
    for (std::size_t c = 0; c < candidates.size(); ++c) candidates[c] = c;
    RunTrials(candidates, plan_.lambdas);
    int larger = 0;
    int smaller = 0;
    while (!result_.interrupted) {
      ChooseBest();
      if (!plan_.extend) break;
      const CvEntry& best = result_.entries[result_.best];
      const bool up = result_.edge == PathEdge::kLargest || result_.edge == PathEdge::kOnly;
      const bool down = result_.edge == PathEdge::kSmallest || result_.edge == PathEdge::kOnly;
      if (up && larger < kMostExtensions && BeatsNext()) {
        ++larger;
        RunTrials({best.candidate}, {RoundedLambda(best.lambda * kFactor)});
      } else if (down && smaller < kMostExtensions) {
        ++smaller;
        RunTrials({best.candidate}, {RoundedLambda(best.lambda / kFactor)});
      } else {
        break;
      }
    }
    return std::move(result_);
  }

 private:
  /// Runs these candidates with these values of λ in all folds, and inserts the results in order.
  void RunTrials(const std::vector<std::size_t>& candidates, const std::vector<double>& lambdas) {
    const std::size_t folds = plan_.folds.size();
    std::vector<Lane> lanes;
    for (const std::size_t c : candidates) {
      for (std::size_t f = 0; f < folds; ++f) lanes.push_back({c, f});
    }
    std::vector<std::vector<TrialResult>> results(lanes.size());
    const auto count = static_cast<Index>(lanes.size());
    result_.progress.total += count * static_cast<Index>(lambdas.size());
    seconds_.resize(std::max(seconds_.size(), lambdas.size()));
    std::vector<std::size_t> mine;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      if (RankOf(lane) == ranks_.rank()) mine.push_back(lane);
    }
    const auto own = static_cast<Index>(mine.size());
    OnAllRanks(ranks_, [&] {
      ParallelChunks(own, std::max<Index>(1, own), plan_.threads, [&](const Chunk& chunk) {
        for (Index k = chunk.begin; k < chunk.end; ++k)
          results[mine[k]] = RunLane(lanes[mine[k]], lambdas);
      });
    });
    ShareResults(&results);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      for (std::size_t k = 0; k < lambdas.size(); ++k) {
        CvEntry entry{candidates[c], lambdas[k], {}};
        for (std::size_t f = 0; f < folds; ++f) {
          std::vector<TrialResult>& lane = results[c * folds + f];
          if (k < lane.size()) entry.folds.push_back(std::move(lane[k]));
        }
        if (entry.folds.size() < folds) result_.interrupted = true;
        result_.entries.push_back(std::move(entry));
      }
    }
    std::stable_sort(
        result_.entries.begin(), result_.entries.end(), [](const CvEntry& a, const CvEntry& b) {
          return a.candidate != b.candidate ? a.candidate < b.candidate : a.lambda > b.lambda;
        });
  }

  /// The rank that trains in a lane.
  int RankOf(std::size_t lane) const { return static_cast<int>(lane % Size(ranks_.size())); }

  /// Gives all ranks the results of all lanes.
  void ShareResults(std::vector<std::vector<TrialResult>>* results) {
    if (ranks_.alone()) return;
    for (std::size_t lane = 0; lane < results->size(); ++lane) {
      std::vector<Shared> shared;
      std::vector<double> figures;
      for (const TrialResult& result : (*results)[lane]) {
        shared.push_back({result.last, result.termination, result.figures.size()});
        figures.insert(figures.end(), result.figures.begin(), result.figures.end());
      }
      // The other ranks have nothing for this lane.
      shared = ranks_.Join(std::span<const Shared>(shared));
      figures = ranks_.Join(std::span<const double>(figures));
      if (RankOf(lane) == ranks_.rank()) continue;
      auto next = figures.begin();
      for (const Shared& one : shared) {
        const auto end = next + static_cast<std::ptrdiff_t>(one.num_figures);
        (*results)[lane].push_back({{next, end}, one.last, one.termination});
        next = end;
      }
      result_.progress.done += static_cast<Index>(shared.size());
    }
  }

  /// The results for all values of λ; fewer after an interrupt.
  std::vector<TrialResult> RunLane(const Lane& lane, const std::vector<double>& lambdas) {
    std::vector<TrialResult> results;
    if (interrupt_ != nullptr && interrupt_->load() != 0) return results;
    TrainOptions options = plan_.candidates[lane.candidate];
    options.threads = std::max(1, plan_.threads / static_cast<int>(plan_.num_trials()));
    const std::unique_ptr<FoldTrial> trial =
        application_.MakeTrial(lane.candidate, Fold(plan_.folds, lane.fold), options);
    for (std::size_t k = 0; k < lambdas.size(); ++k) {
      const WallTimer timer;
      TrialResult result = trial->Run(lambdas[k], interrupt_);
      if (result.termination == Termination::kInterrupted) break;
      results.push_back(std::move(result));
      Report(k, timer.Seconds());
    }
    return results;
  }

  /// Counts training number k of a lane, which took `seconds`, and calls the observer.
  void Report(std::size_t k, double seconds) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++result_.progress.done;
    seconds_[k].sum += seconds;
    ++seconds_[k].count;
    if (!plan_.observer) return;
    const double lanes =
        static_cast<double>(result_.progress.total) / static_cast<double>(seconds_.size());
    double left = 0;
    double last = 0;
    for (const Seconds& known : seconds_) {
      last = known.count > 0 ? known.sum / known.count : last * kSlowdown;
      left += last * std::max(0.0, lanes - known.count);
    }
    const int side_by_side = std::min(plan_.threads, static_cast<int>(lanes));
    result_.progress.seconds_left = left / std::max(1, side_by_side);
    plan_.observer(result_.progress);
  }

  void ChooseBest() {
    std::vector<double> values;
    for (std::size_t k = 0; k < result_.entries.size(); ++k) values.push_back(QualityOf(k));
    result_.best = BestMean(values);
    const std::size_t candidate = result_.entries[result_.best].candidate;
    const auto same = [&](std::size_t k) {
      return k < result_.entries.size() && result_.entries[k].candidate == candidate;
    };
    const bool first = result_.best == 0 || !same(result_.best - 1);
    const bool last = !same(result_.best + 1);
    result_.edge = first && last ? PathEdge::kOnly
                   : first       ? PathEdge::kLargest
                   : last        ? PathEdge::kSmallest
                                 : PathEdge::kInside;
  }

  /// The mean over the folds with the sign that makes larger values better.
  double QualityOf(std::size_t entry) const {
    const double mean = SpreadOf(result_.entries[entry].figures(plan_.metric)).mean;
    return plan_.smaller_is_better ? -mean : mean;
  }

  /// Whether the best entry, at the largest λ, is better than the next one. A tie does not extend
  /// the path.
  bool BeatsNext() const {
    return result_.edge == PathEdge::kOnly ||
           BestMean(std::vector<double>{QualityOf(result_.best + 1), QualityOf(result_.best)}) == 1;
  }

  struct Seconds {
    double sum = 0;
    double count = 0;
  };
  /// A TrialResult without its figures.
  struct Shared {
    ProgressRecord last;
    Termination termination = Termination::kMaxPasses;
    std::size_t num_figures = 0;
  };

  const CvApplication& application_;
  const CvPlan& plan_;
  const std::atomic<int>* interrupt_;
  Ranks& ranks_;
  CvResult result_;
  std::mutex mutex_;
  std::vector<Seconds> seconds_;  // by position of λ in its lane
};

}  // namespace

std::vector<double> CvEntry::figures(std::size_t metric) const {
  std::vector<double> values;
  for (const TrialResult& fold : folds) values.push_back(fold.figures[metric]);
  return values;
}

FoldTotals CvEntry::totals() const {
  FoldTotals totals;
  for (const TrialResult& fold : folds) totals.Add(fold.last, fold.termination);
  return totals;
}

double CvEntry::widest_gap() const {
  double widest = 0;
  for (const TrialResult& fold : folds) {
    if (fold.termination != Termination::kConverged)
      widest = std::max(widest, fold.last.relative_gap);
  }
  return widest;
}

TrialResult TrainedTrial::Run(double lambda, const std::atomic<int>* interrupt) {
  if (!trainer_) trainer_.emplace(problem_->WithLambda(lambda), options_);
  const TrainSummary summary = trainer_->Train(lambda, interrupt);
  TrialResult result{{}, summary.last, summary.termination};
  if (summary.termination != Termination::kInterrupted) result.figures = Figures(summary.weights);
  return result;
}

void CheckFolds(const CvApplication& application, const Folds& folds) {
  std::size_t all = 0;  // examples with known labels
  std::vector<std::size_t> known;
  for (const std::vector<Index>& fold : folds) {
    const auto count = std::count_if(fold.begin(), fold.end(), [&](Index example) {
      return application.HasKnownLabel(example);
    });
    all += known.emplace_back(count);
  }
  for (std::size_t f = 0; f < folds.size(); ++f) {
    if (known[f] > 0 && known[f] < all) continue;
    throw DataError(
        application.source(), 0,
        Fold(folds, f).name() +
            (known[f] == 0 ? " has no known label to compare predictions with"
                           : " has all labels that are known: nothing is left to train on"));
  }
}

CvResult CrossValidate(const CvApplication& application, const CvPlan& plan,
                       const std::atomic<int>* interrupt) {
  SLACKLINE_CHECK(!plan.lambdas.empty() && !plan.candidates.empty() && plan.folds.size() > 1 &&
                      std::is_sorted(plan.lambdas.rbegin(), plan.lambdas.rend()),
                  "cross-validation needs candidates, folds, and values of lambda that fall");
  for (const TrainOptions& options : plan.candidates)
    RequireOneRank(RanksOf(options), "cross-validation");
  CheckFolds(application, plan.folds);
  return CvRun(application, plan, interrupt).Run();
}

std::vector<double> LambdasAround(double lambda) {
  std::vector<double> lambdas;
  for (int k = 2; k >= -2; --k) lambdas.push_back(RoundedLambda(lambda * std::pow(kFactor, k)));
  return lambdas;
}

}  // namespace slackline::internal
