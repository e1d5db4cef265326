// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/batch_frank_wolfe.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <slackline/core/parallel.h>
#include <slackline/learning/example_blocks/dual_point_learner.h>
#include <slackline/learning/make_in_shards.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

class FrankWolfeLearner : public DualPointLearner, public CheckAdvisor {
 public:
  FrankWolfeLearner(const Problem& problem, const TrainOptions& options)
      : DualPointLearner(problem, options),
        iterate_(problem.num_weights() + 1, 0.0),
        target_(iterate_.size(), 0.0),
        corners_(problem),
        bounds_(problem.size(), 0.0) {
    traits_.advisor = this;
    if (HasInexactPasses(options)) inexact_.emplace(problem, PassingOracle(options));
    AverageIterates(problem.num_weights() + 1);
  }

  void RunPass(const StopControl& stop) override {
    if (!swept_ && !Sweep(stop)) return;
    Step();
    Sweep(stop);
  }

  Evaluation Evaluate(int threads) override {
    Evaluation evaluation;
    evaluation.problem = evaluator_.certified();
    evaluation.dual = Dual();
    if (best_.empty() || options_.keep_newest) {
      evaluated_.assign(newest().begin(), newest().end());
      evaluation.primal = Primal(evaluated_, threads);
    } else {
      evaluated_ = best_;
      evaluation.primal = best_primal_;
    }
    TryAverage(iterate_, threads, &evaluation);
    return evaluation;
  }

  WorkCounts work() const override { return {oracle_calls_, steps_ * problem_.size()}; }
  double GapEstimate() const override { return best_.empty() ? kNone : best_primal_ - Dual(); }

  bool DualPointIsBest() const override { return !options_.fixed_step; }

  void Archive(StateArchive* archive) override {
    archive->Tag("fw");
    for (auto* list : {&iterate_, &target_}) archive->FiniteReals(*list);
    for (DualPoints* points : {&points_, &corners_}) points->Archive(archive);
    ArchiveCommon(archive);
    archive->FiniteList(&best_);
    archive->Require(best_.empty() || best_.size() == newest().size(),
                     "the weights have another length");
    archive->FiniteReal(&best_primal_);
    archive->Flag(&swept_);
    archive->Integer(&steps_, 0, std::numeric_limits<Index>::max());
    archive->Count(&oracle_calls_);
  }

  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    if (inexact_) inexact_->set_problem(problem);
    Gather(points_, &iterate_);
    const double theta = BestShare(iterate_.back(), Regulariser(problem_.lambda(), newest()));
    for (double& value : iterate_) value *= theta;
    points_.Scale(theta);
    best_.clear();
    best_primal_ = 0;
    swept_ = false;
    steps_ = 0;
  }

 private:
  std::span<const double> newest() const { return std::span(iterate_).first(iterate_.size() - 1); }
  double Dual() const { return iterate_.back() - Regulariser(problem_.lambda(), newest()); }

  /// The oracles of the passes.
  ExampleEvaluator& passing() { return inexact_ ? *inexact_ : evaluator_; }

  /// Calls the oracle for all examples at the newest weights. Returns false when `stop` ended the
  /// sweep; the corners are then incomplete.
  bool Sweep(const StopControl& stop) {
    const int threads = NumThreads(options_.threads);
    swept_ = passing().Sweep(newest(), warm_, threads, stop, [this](Index m, const Corner& corner) {
      corners_.Set(m, corner.coordinates, corner.loss);
      bounds_[m] = corner.upper_bound;
    });
    if (!swept_) return false;
    oracle_calls_ += problem_.size();
    Gather(corners_, &target_);
    // Checks know a better bound than inexact passes.
    if (inexact_) return true;
    double hinge = 0;
    for (const double bound : bounds_) hinge += bound;
    const double primal = Regulariser(problem_.lambda(), newest()) + hinge / problem_.size();
    if (best_.empty() || primal < best_primal_) {
      best_.assign(newest().begin(), newest().end());
      best_primal_ = primal;
    }
    return true;
  }

  /// Sets *sums to (w, ℓ) of the points.
  void Gather(const DualPoints& points, std::vector<double>* sums) {
    std::fill(sums->begin(), sums->end(), 0.0);
    points.AddFeatures(problem_, 1 / problem_.lambda_m(), std::span(*sums).first(sums->size() - 1));
    sums->back() = points.MeanLoss();
  }

  /// Algorithm 2, from the line search on.
  void Step() {
    const std::size_t d = iterate_.size() - 1;
    double slope = 0;  // (w − w_s)·w
    double square = 0;
    for (std::size_t k = 0; k < d; ++k) {
      const double difference = iterate_[k] - target_[k];
      slope += difference * iterate_[k];
      square += difference * difference;
    }
    const double gap = problem_.lambda() * slope - iterate_[d] + target_[d];
    const double nu = options_.own<InexactOptions>().step_quality;
    const double step = options_.fixed_step ? 2.0 / (nu * static_cast<double>(steps_) + 2.0)
                                            : LineSearch(gap, problem_.lambda() * square, 1);
    if (average_.active()) {
      const double scale = average_.scale() * step;
      const std::span<double> lag = average_.lag();
      for (std::size_t k = 0; k <= d; ++k) lag[k] += scale * (target_[k] - iterate_[k]);
    }
    for (std::size_t k = 0; k <= d; ++k) iterate_[k] = (1 - step) * iterate_[k] + step * target_[k];
    points_.Mix(step, corners_);
    average_.EndStep();
    ++steps_;
  }

  std::optional<ExampleEvaluator> inexact_;
  std::vector<double> iterate_;
  std::vector<double> target_;
  DualPoints corners_;
  std::vector<double> bounds_;
  std::vector<double> best_;  // of all iterates whose primal is known; empty before the first
  double best_primal_ = 0;
  bool swept_ = false;  // target_ belongs to the newest weights
  std::int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Learner> MakeFrankWolfeLearner(const Problem& problem,
                                               const TrainOptions& options) {
  if (options.shards > 1) return MakeInShards(problem, options);
  return std::make_unique<FrankWolfeLearner>(problem, options);
}

namespace {

constexpr std::span<const OptionRecord> kFrankWolfeOptionLists[] = {kInexactOptions};

}  // namespace

constinit const LearnerRecord kFrankWolfeLearner = {
    .name = "fw",
    .summary = "Frank-Wolfe on all examples at once",
    .section = "Frank-Wolfe: `fw` and `bcfw`",
    .make = MakeFrankWolfeLearner,
    .variants = kOracleVariants,
    .reads = "average keep-newest fixed-step shards rescaling oracle",
    .options = kFrankWolfeOptionLists,
    .own_steps = "takes Frank-Wolfe steps only",
    .own_order = "takes all examples at once",
    .check = [](const TrainOptions& options) { CheckInexact(options, true); }};

}  // namespace slackline::internal
