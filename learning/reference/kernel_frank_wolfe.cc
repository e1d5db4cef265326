// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `kernel-bcfw` and `kernel-fw`: Frank-Wolfe over example blocks, one at a time or all at
// once, in the dual alone, so that inputs can be compared by a kernel (core/kernel.h).
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for
// structural SVMs", ICML 2013, appendix B.5: Algorithm B.1 (kernel-bcfw), and Algorithm 2 carried
// over in the same way (kernel-fw). Line search as in Algorithm 4, or --fixed-step.
//
//   symbol           here            shape
//   α_(i)            points_         dual_points.h, see below
//   w = Aα           weights_        KernelExpansion::size(): explicit weights of scalar features,
//                                    coefficients of inputs
//
// Deviation: the paper keeps α_(i) labelling by labelling, so that the time of inner products grows
// with the square of the number of steps. With kernels that compare one part with another, w and
// all inner products depend on α_(i) only through its coordinates φ_i(α_(i)), whose number is
// fixed. weights() is the expansion (kernel_expansion.h); inputs with a coefficient are the support
// vectors.
//
// Cost of a step of kernel-bcfw: one oracle call, one kernel row of N values for every input of the
// example (computed unless the cache has it; the line search reads the rows again), N · rows
// multiply-adds for each, and T² · rows for the line search with T inputs. A pass of kernel-fw: M
// oracle calls and N² · rows. Memory: the cache, and M + N · rows numbers of duals and
// coefficients.
#include <algorithm>
#include <limits>

#include <slackline/core/inner_product.h>
#include <slackline/core/parallel.h>
#include <slackline/core/row_kernels.h>
#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/reference/reference_learner.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/step/sampling.h>
#include <slackline/learning/step/step.h>
#include <slackline/learning/stop_relay.h>

namespace slackline::internal {
namespace {

constexpr Index kPassesPerExpansionRebuild = 64;

/// Base class with the dual point, its expansion and its certificate; derived classes make steps.
class KernelLearner : public ReferenceLearner, public ScaleSource {
 public:
  KernelLearner(const Problem& problem, const TrainOptions& options)
      : ReferenceLearner(problem, options, CheckingOracle(options)),
        expansion_(problem.data()),
        cache_(KernelOf(options, problem.data()),
               {expansion_.inputs().begin(), expansion_.inputs().end()},
               static_cast<std::int64_t>(options.own<KernelLearnerOptions>().cache_mb) * 1'000'000),
        weights_(expansion_.size(), 0.0) {
    traits_.scales = this;
  }

  Evaluation Evaluate(int threads) override {
    Rebuild(&evaluated_);
    const bool scored = Score(evaluated_, threads);
    if (!scored) {
      // What is known without the kernel: w = 0, and the ground truth as dual point.
      options_.stop->CountRoughBound();
      std::fill(evaluated_.begin(), evaluated_.end(), 0.0);
      std::fill(scores_.begin(), scores_.end(), 0.0);
    }
    const double regulariser = problem_.lambda() / 2 * SquaredNormAtScores(evaluated_);
    Evaluation evaluation;
    evaluation.problem = evaluator_.certified();
    evaluation.primal = regulariser + MeanHingeAtScores(threads);
    evaluation.dual = scored ? points_.MeanLoss() - regulariser : 0;
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

 protected:
  /// Computes the scores of the weights; false if the run's end cut that short.
  bool Score(std::span<const double> weights, int threads) {
    scores_.resize(weights.size());
    return expansion_.Scores(cache_, weights, threads, scores_, options_.stop);
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
  void EndPass() {
    if (++pass_ % kPassesPerExpansionRebuild == 0) Rebuild(&weights_);
  }

  /// Calls the oracle at the coordinate scores u_ of example m; *direction_ = its corner − α_(m).
  Corner AskAtScores(Index m) {
    ++oracle_calls_;
    ++block_steps_;
    const Corner corner = evaluator_.oracle().MaximiseAt(m, u_, &warm_[m]);
    points_.Towards(m, corner.coordinates, &direction_);
    return corner;
  }

  KernelExpansion expansion_;
  GramCache cache_;
  std::vector<double> weights_;
  std::vector<double> scores_;
  std::vector<double> u_, direction_;
  Index pass_ = 0;

 private:
  double MeanHingeAtScores(int threads) {
    return evaluator_.MeanHinge(
        {.threads = threads}, [&](Index m, ExampleOracle* oracle, HingeScratch* scratch) {
          std::vector<double>& u = scratch->scores;
          scratch->warm = warm_[m];
          u.resize(problem_.data().example(m).structure().num_coordinates());
          expansion_.Gather(problem_.data(), m, scores_, u);
          return oracle->MaximiseAt(m, u, &scratch->warm).upper_bound;
        });
  }
};

class KernelBcfwLearner : public KernelLearner {
 public:
  KernelBcfwLearner(const Problem& problem, const TrainOptions& options)
      : KernelLearner(problem, options), visits_(options, problem.data()) {}

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) { Step(m); });
    EndPass();
  }

 private:
  /// Lines 4 to 7 of Algorithm B.1; its optional average (line 8) is left out.
  void Step(Index m) {
    ComputeScores(m);
    const Corner corner = AskAtScores(m);
    const double size = problem_.size();
    const double fixed = 2 * size / (static_cast<double>(oracle_calls_ - 1) + 2 * size);
    const double gap = corner.loss - points_.loss(m) - DotInOrder(u_, direction_);
    const double q = SquaredLength(m) / problem_.lambda_m();
    const double step = options_.fixed_step ? fixed : LineSearch(gap, q, 1);
    if (step == 0) return;
    points_.Move(m, step, direction_, corner.loss);
    expansion_.AddFeatures(problem_.data(), m, direction_, step / problem_.lambda_m(), weights_);
  }

  /// The kernel values of a slot's input with all inputs, valid until the next call.
  std::span<const double> Row(Index m, const Slot& slot) {
    return cache_.Row(expansion_.input_of(problem_.data(), m, slot));
  }

  /// Computes the coordinate scores u_ of example m.
  void ComputeScores(Index m) {
    const Structure& structure = problem_.data().example(m).structure();
    u_.resize(structure.num_coordinates());
    for (const Slot& slot : structure.slots()) {
      RowScores(weights_.data() + expansion_.offset(slot.block), slot.rows,
                {Row(m, slot).data(), nullptr, expansion_.num_inputs(), 0},
                u_.data() + slot.coordinate);
    }
    for (const ScalarBlock& scalar : structure.scalar_blocks()) {
      std::copy_n(weights_.data() + expansion_.offset(scalar.block), scalar.rows,
                  u_.data() + scalar.coordinate);
    }
  }

  /// Squared norm of the feature vector of example m with coordinates direction_.
  double SquaredLength(Index m) {
    const Structure& structure = problem_.data().example(m).structure();
    const std::span<const double> d = direction_;
    double sum = 0;
    for (const Slot& slot : structure.slots()) {
      const auto own = d.subspan(slot.coordinate, slot.rows);
      if (std::all_of(own.begin(), own.end(), [](double value) { return value == 0; })) continue;
      const std::span<const double> row = Row(m, slot);
      for (const Slot& other : structure.slots()) {
        if (other.block != slot.block) continue;
        sum += row[expansion_.input_of(problem_.data(), m, other)] *
               DotInOrder(own, d.subspan(other.coordinate, other.rows));
      }
    }
    for (const ScalarBlock& scalar : structure.scalar_blocks()) {
      const auto own = d.subspan(scalar.coordinate, scalar.rows);
      sum += DotInOrder(own, own);
    }
    return std::max(0.0, sum);
  }

  ExampleVisits visits_;
};

class KernelFrankWolfeLearner : public KernelLearner {
 public:
  KernelFrankWolfeLearner(const Problem& problem, const TrainOptions& options)
      : KernelLearner(problem, options), corners_(problem) {}

  /// Algorithm 2 with w as an expansion. A pass that is cut short does not change the point.
  void RunPass(const StopControl& stop) override {
    if (oracle_calls_ == 0) FillCache(stop);
    const int threads = NumThreads(options_.threads);
    if (!Score(weights_, threads)) return;
    double gap = 0;
    for (Index m = 0; m < problem_.size(); ++m) {  // lines 3 and 4
      gap += FindCorner(m);
      if (stop.ShouldStop() && m + 1 < problem_.size()) return;
    }
    gap /= problem_.size();
    change_.assign(weights_.size(), 0.0);  // line 5: w_s − w
    for (Index m = 0; m < problem_.size(); ++m) {
      expansion_.AddFeatures(problem_.data(), m, corners_.coordinates(m), 1 / problem_.lambda_m(),
                             change_);
    }
    double step = 2 / (static_cast<double>(pass_) + 2);  // line 6
    if (!options_.fixed_step) {
      if (!Score(change_, threads)) return;
      step = LineSearch(gap, problem_.lambda() * SquaredNormAtScores(change_), 1);
    }
    for (Index m = 0; m < problem_.size(); ++m)  // line 7
      points_.Move(m, step, corners_.coordinates(m), corners_.loss(m));
    for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] += step * change_[k];
    EndPass();
  }

 private:
  /// Fills the cache with the first kernel rows. Repeated sweeps over all rows would otherwise
  /// evict every row before its next use.
  void FillCache(const StopControl& stop) {
    for (Index j = 0; j < cache_.capacity() && j < cache_.size() && !stop.ShouldStop(); ++j)
      cache_.Row(j);
  }

  /// Stores the corner of example m minus its point in corners_. Returns M times the example's
  /// share of the gap.
  double FindCorner(Index m) {
    u_.resize(corners_.coordinates(m).size());
    expansion_.Gather(problem_.data(), m, scores_, u_);
    const Corner found = AskAtScores(m);
    corners_.Set(m, direction_, found.loss);
    return found.loss - points_.loss(m) - DotInOrder(u_, direction_);
  }

  DualPoints corners_;          // coordinates of corners minus those of points; losses of corners
  std::vector<double> change_;  // change of the weights by a step of length 1
};

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

template <class T>
constexpr LearnerRecord KernelRecord(std::string_view name, std::string_view summary,
                                     std::string_view own_order) {
  return {.name = name,
          .summary = summary,
          .section = "Kernels",
          .make = MakeReference<T>,
          .variants = kKernelVariants,
          .reads = "keep-newest fixed-step rescaling oracle",
          .options = kKernelOptionLists,
          .own_steps = "takes Frank-Wolfe steps only",
          .own_order = own_order,
          .kernelized = true,
          .keeps_state = false};
}

}  // namespace

constinit const LearnerRecord kKernelFrankWolfeLearner = KernelRecord<KernelFrankWolfeLearner>(
    "kernel-fw", "fw in the dual alone, with kernels", "takes all examples at once");
constinit const LearnerRecord kKernelBcfwLearner =
    KernelRecord<KernelBcfwLearner>("kernel-bcfw", "bcfw in the dual alone, with kernels", "");

}  // namespace slackline::internal
