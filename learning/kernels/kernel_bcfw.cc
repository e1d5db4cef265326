// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/kernels/kernel_bcfw.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <slackline/core/feature_map.h>
#include <slackline/core/inner_product.h>
#include <slackline/core/parallel.h>
#include <slackline/core/row_kernels.h>
#include <slackline/learning/example_blocks/dual_point_learner.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

/// Base class with the dual point, its expansion and its certificate; derived classes make steps.
class KernelLearner : public DualPointLearner, public ScaleSource {
 public:
  KernelLearner(const Problem& problem, const TrainOptions& options)
      : DualPointLearner(problem, options),
        expansion_(problem.data()),
        cache_(KernelOf(options, problem.data()),
               {expansion_.inputs().begin(), expansion_.inputs().end()},
               static_cast<std::int64_t>(options.own<KernelLearnerOptions>().cache_mb) * 1'000'000),
        weights_(expansion_.size(), 0.0) {
    traits_.scales = this;
    AverageIterates(expansion_.size());
  }

  Evaluation Evaluate(int threads) override {
    Rebuild(&evaluated_);
    const bool scored = Score(evaluated_, threads, options_.stop);
    if (!scored) {
      // What is known without the kernel: w = 0, and the ground truth as dual point.
      options_.stop->CountRoughBound();
      std::fill(evaluated_.begin(), evaluated_.end(), 0.0);
      std::fill(scores_.begin(), scores_.end(), 0.0);
    }
    Evaluation evaluation;
    evaluation.problem = evaluator_.certified();
    evaluation.primal = PrimalAtScores(evaluated_, threads);
    evaluation.dual = scored ? points_.MeanLoss() - regulariser_ : 0;
    if (!scored) return evaluation;
    if (average_.active() && pass_ > 0) {
      std::vector<double> average;
      average_.Read(weights_, &average);
      const auto primal = [&](std::span<const double> w) { return Primal(w, threads); };
      TakeOutput(std::move(average), primal, &evaluation);
    }
    return evaluation;
  }

  /// Scales as if every part had the longest input in the kernel's feature space.
  ObjectiveScales Scales() const override {
    double longest = 0;
    for (const FeatureRow& x : expansion_.inputs())
      longest = std::max(longest, KernelValue(cache_.kernel(), x, x));
    return {PrimalAtZeroWeights(problem_), ScoreScale(problem_, 2 * longest),
            RelaxationExceedsZero(problem_)};
  }

  bool DualPointIsBest() const override { return !options_.fixed_step; }

  void Archive(StateArchive* archive) override {
    archive->Tag(Name(options_.learner));
    archive->FiniteReals(weights_);
    points_.Archive(archive);
    ArchiveCommon(archive);
    archive->Passes(&pass_);
    archive->Count(&oracle_calls_);
    std::int64_t steps = work().block_steps;
    archive->Count(&steps);
  }

  void ChangeLambda(const Problem& problem) override {
    ChangeProblem(problem);
    Rebuild(&weights_);
    Score(weights_, threads());
    const double squared = SquaredNormAtScores(weights_);
    points_.Scale(BestShare(points_.MeanLoss(), problem.lambda() / 2 * squared));
    Rebuild(&weights_);
  }

 protected:
  int threads() const { return NumThreads(options_.threads); }

  /// Computes the scores of the weights; false if `stop` ended that.
  bool Score(std::span<const double> weights, int threads, const StopCondition* stop = nullptr) {
    scores_.resize(weights.size());
    return expansion_.Scores(cache_, weights, threads, scores_, stop);
  }
  /// ‖w‖² of weights with these scores.
  double SquaredNormAtScores(std::span<const double> weights) const {
    return std::max(0.0, DotInOrder(weights, scores_));
  }

  void Rebuild(std::vector<double>* weights) {
    weights->assign(expansion_.size(), 0.0);
    for (Index m = 0; m < problem_.size(); ++m)
      expansion_.AddFeatures(problem_.data(), m, points_.coordinates(m), 1 / problem_.lambda_m(),
                             *weights);
  }

  /// Fills the cache with the first kernel rows. Repeated sweeps over all rows would otherwise
  /// evict every row before its next use.
  void FillCache(const StopControl& stop) {
    for (Index j = 0; j < cache_.capacity() && j < cache_.size() && !stop.ShouldStop(); ++j)
      cache_.Row(j);
  }

  /// Calls the oracle at the coordinate scores u_ of example m.
  Corner AskAtScores(Index m) {
    ++oracle_calls_;
    return oracle().MaximiseAt(m, u_, &warm_[m]);
  }

  KernelExpansion expansion_;
  GramCache cache_;
  std::vector<double> weights_;
  std::vector<double> scores_;

 private:
  double Primal(std::span<const double> weights, int threads) override {
    Score(weights, threads);
    return PrimalAtScores(weights, threads);
  }

  /// Requires the scores of the weights in scores_. Leaves λ/2 ‖w‖² in regulariser_.
  double PrimalAtScores(std::span<const double> weights, int threads) {
    regulariser_ = problem_.lambda() / 2 * SquaredNormAtScores(weights);
    const double hinge = evaluator_.MeanHinge(
        {.threads = threads}, [&](Index m, ExampleOracle* oracle, HingeScratch* scratch) {
          std::vector<double>& u = scratch->scores;
          scratch->warm = warm_[m];
          u.resize(problem_.data().example(m).structure().num_coordinates());
          expansion_.Gather(problem_.data(), m, scores_, u);
          return oracle->MaximiseAt(m, u, &scratch->warm).upper_bound;
        });
    return regulariser_ + hinge;
  }

  double regulariser_ = 0;
};

/// Algorithm B.1.
class KernelBcfwLearner : public KernelLearner {
 public:
  KernelBcfwLearner(const Problem& problem, const TrainOptions& options)
      : KernelLearner(problem, options) {}

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) {
      Step(m);
      average_.EndStep();
    });
    if (EndPass()) Rebuild(&weights_);
  }

  void Archive(StateArchive* archive) override {
    KernelLearner::Archive(archive);
    visits_.Archive(archive);
  }

 private:
  void Step(Index m) {
    const Structure& structure = problem_.data().example(m).structure();
    ComputeScores(m, structure);
    const Corner corner = AskAtScores(m);
    const double size = problem_.size();
    const double fixed = 2 * size / (static_cast<double>(oracle_calls_ - 1) + 2 * size);
    points_.Towards(m, corner.coordinates, &direction_);
    const double gap = corner.loss - points_.loss(m) - DotInOrder(u_, direction_);
    const double q = SquaredLength(structure) / problem_.lambda_m();
    const double step = options_.fixed_step ? fixed : LineSearch(gap, q, 1);
    if (step == 0) return;
    points_.Move(m, step, direction_, corner.loss);
    const double scale = step / problem_.lambda_m();
    expansion_.AddFeatures(problem_.data(), m, direction_, scale, weights_);
    if (average_.active())
      expansion_.AddFeatures(problem_.data(), m, direction_, average_.scale() * scale,
                             average_.lag());
  }

  /// Computes the coordinate scores u_ of example m, and the kernel values among_ of its own inputs
  /// that meet the same block.
  void ComputeScores(Index m, const Structure& structure) {
    const Dataset& data = problem_.data();
    const std::span<const Slot> slots = structure.slots();
    u_.resize(structure.num_coordinates());
    among_.resize(slots.size() * slots.size());
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const std::span<const double> row = cache_.Row(expansion_.input_of(data, m, slots[s]));
      RowScores(weights_.data() + expansion_.offset(slots[s].block), slots[s].rows,
                {row.data(), nullptr, expansion_.num_inputs(), 0}, u_.data() + slots[s].coordinate);
      for (std::size_t t = 0; t < slots.size(); ++t) {
        among_[s * slots.size() + t] =
            slots[s].block == slots[t].block ? row[expansion_.input_of(data, m, slots[t])] : 0.0;
      }
    }
    for (const ScalarBlock& scalar : structure.scalar_blocks()) {
      std::copy_n(weights_.data() + expansion_.offset(scalar.block), scalar.rows,
                  u_.data() + scalar.coordinate);
    }
  }

  /// Squared norm of the feature vector with coordinates direction_. Requires ComputeScores(m).
  double SquaredLength(const Structure& structure) const {
    const std::span<const Slot> slots = structure.slots();
    const std::span<const double> d = direction_;
    double sum = 0;
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const auto own = d.subspan(slots[s].coordinate, slots[s].rows);
      if (std::all_of(own.begin(), own.end(), [](double value) { return value == 0; })) continue;
      for (std::size_t t = 0; t < slots.size(); ++t) {
        if (slots[s].block != slots[t].block) continue;
        sum += among_[s * slots.size() + t] *
               DotInOrder(own, d.subspan(slots[t].coordinate, slots[t].rows));
      }
    }
    for (const ScalarBlock& scalar : structure.scalar_blocks()) {
      const auto own = d.subspan(scalar.coordinate, scalar.rows);
      sum += DotInOrder(own, own);
    }
    return std::max(0.0, sum);
  }

  std::vector<double> among_;  // slots × slots
};

/// Algorithm 2 with w as an expansion.
class KernelFrankWolfeLearner : public KernelLearner {
 public:
  KernelFrankWolfeLearner(const Problem& problem, const TrainOptions& options)
      : KernelLearner(problem, options), corners_(problem) {}

  /// A pass that is cut short does not change the point.
  void RunPass(const StopControl& stop) override {
    if (oracle_calls_ == 0) FillCache(stop);
    if (!Score(weights_, threads(), options_.stop)) return;
    double gap = 0;
    for (Index m = 0; m < problem_.size(); ++m) {
      gap += FindCorner(m);
      if (stop.ShouldStop() && m + 1 < problem_.size()) return;
    }
    gap /= problem_.size();
    change_.assign(weights_.size(), 0.0);
    for (Index m = 0; m < problem_.size(); ++m) {
      expansion_.AddFeatures(problem_.data(), m, corners_.coordinates(m), 1 / problem_.lambda_m(),
                             change_);
    }
    double step = 2 / (static_cast<double>(pass_) + 2);
    if (!options_.fixed_step) {
      if (!Score(change_, threads(), options_.stop)) return;
      step = LineSearch(gap, problem_.lambda() * SquaredNormAtScores(change_), 1);
    }
    for (Index m = 0; m < problem_.size(); ++m)
      points_.Move(m, step, corners_.coordinates(m), corners_.loss(m));
    for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] += step * change_[k];
    if (average_.active()) {
      const double scale = average_.scale() * step;
      for (std::size_t k = 0; k < weights_.size(); ++k) average_.lag()[k] += scale * change_[k];
    }
    average_.EndStep();
    if (EndPass()) Rebuild(&weights_);
  }

 private:
  /// Stores the corner of example m minus its point in corners_. Returns M times the example's
  /// share of the gap.
  double FindCorner(Index m) {
    u_.resize(corners_.coordinates(m).size());
    expansion_.Gather(problem_.data(), m, scores_, u_);
    const Corner found = AskAtScores(m);
    points_.Towards(m, found.coordinates, &towards_);
    corners_.Set(m, towards_, found.loss);
    return found.loss - points_.loss(m) - DotInOrder(u_, towards_);
  }

  DualPoints corners_;          // coordinates of corners minus those of points; losses of corners
  std::vector<double> change_;  // change of the weights by a step of length 1
  std::vector<double> towards_;
};

}  // namespace

std::unique_ptr<Learner> MakeKernelLearner(const Problem& problem, const TrainOptions& options) {
  if (options.learner == LearnerKind::kKernelFrankWolfe)
    return std::make_unique<KernelFrankWolfeLearner>(problem, options);
  return std::make_unique<KernelBcfwLearner>(problem, options);
}

namespace {

constexpr OptionRecord kKernelOptions[] = {
    {.name = "cache-mb",
     .placeholder = "N",
     .text = "kernel-bcfw, kernel-fw: megabytes for cached kernel "
             "values. Results are the same for any size",
     .default_text = "256",
     .field = Field<&KernelLearnerOptions::cache_mb>,
     .minimum = 1,
     .maximum = std::numeric_limits<Index>::max(),
     .positive = true,
     .outer = true}};
constexpr std::span<const OptionRecord> kKernelOptionLists[] = {kKernelOptions};
constexpr NeedSet kKernelNeeds = NeedsAll(Need::kInputs, Need::kNoGlobals);
constexpr LearnerVariant kKernelVariants[] = {{.options = kSlackVariant.options,
                                               .applies = RescalesSlack,
                                               .needs = kSlackVariant.needs | kKernelNeeds},
                                              {.needs = kNeedsOracle | kKernelNeeds}};

}  // namespace

constinit const LearnerRecord kKernelFrankWolfeLearner = {
    .name = "kernel-fw",
    .summary = "fw in the dual alone, with kernels",
    .section = "Kernels",
    .make = MakeKernelLearner,
    .variants = kKernelVariants,
    .reads = "average keep-newest fixed-step rescaling oracle",
    .options = kKernelOptionLists,
    .own_steps = "takes Frank-Wolfe steps only",
    .own_order = "takes all examples at once",
    .kernelized = true};
constinit const LearnerRecord kKernelBcfwLearner = {
    .name = "kernel-bcfw",
    .summary = "bcfw in the dual alone, with kernels",
    .section = "Kernels",
    .make = MakeKernelLearner,
    .variants = kKernelVariants,
    .reads = "average keep-newest fixed-step rescaling oracle",
    .options = kKernelOptionLists,
    .own_steps = "takes Frank-Wolfe steps only",
    .kernelized = true};

}  // namespace slackline::internal
