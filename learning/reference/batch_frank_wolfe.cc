// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `fw`: Frank-Wolfe on all examples at once.
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, "Block-coordinate Frank-Wolfe optimization for
// structural SVMs", ICML 2013, Algorithm 2, with line search or with the fixed steps of Algorithm 1
// (TrainOptions::fixed_step). A step of length γ is also a batch subgradient step of length γ/λ for
// the primal (section 4 of the paper). Axes: blocks = all examples at once · oracle = any MapSolver
// · step = Frank-Wolfe · order = none.
//
//   symbol        here                       shape
//   w, ℓ          iterate_                   num_weights + 1: ℓ, the mean loss, is the last entry
//   w_s, ℓ_s      target_                    the same
//   y*_i          corners_                   dual_points.h
//   α_i           points_                    dual_points.h; used by DualPoint, not by steps
//
// The loop is shifted by half a pass: a pass steps towards the known corner and then calls the
// oracle for all examples at the new weights. The answers give the primal of these weights and the
// corner of the next pass. So the primal of every iterate is known, and the best weights of all
// passes are kept (as in appendix F of the paper for its figures). The first pass calls the oracle
// twice per example. Oracles run on TrainOptions::threads threads; sums are made in the order of
// the examples, so the result does not depend on the number of threads.
//
// With an inexact oracle in the passes (inexact_options.h) their bounds are loose. The primal is
// then that of the newest weights by the oracle of checks.
//
// The dual bound is that of the newest point. This bound never falls with line search, but may fall
// with fixed steps. Cost of a pass: one oracle call, one evaluation of the score tables and one
// sweep over the input for every example, and O(d).
#include <algorithm>
#include <optional>

#include <slackline/core/parallel.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/reference/reference_learner.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

class FrankWolfeLearner : public ReferenceLearner, public CheckAdvisor {
 public:
  FrankWolfeLearner(const Problem& problem, const TrainOptions& options)
      : ReferenceLearner(problem, options, CheckingOracle(options)),
        iterate_(problem.num_weights() + 1, 0.0),
        target_(iterate_.size(), 0.0),
        corners_(problem),
        bounds_(problem.size(), 0.0) {
    traits_.advisor = this;
    if (HasInexactPasses(options)) inexact_.emplace(problem, PassingOracle(options));
  }

  void RunPass(const StopControl& stop) override {
    if (!swept_ && !Sweep(stop)) return;
    Step();
    Sweep(stop);
  }

  Evaluation Evaluate(int threads) override {
    if (best_.empty() || options_.keep_newest)
      return Certify({newest().begin(), newest().end()}, Dual(), threads);
    evaluated_ = best_;
    Evaluation evaluation;
    evaluation.problem = evaluator_.certified();
    evaluation.dual = Dual();
    evaluation.primal = best_primal_;
    return evaluation;
  }

  double GapEstimate() const override { return best_.empty() ? kNone : best_primal_ - Dual(); }
  bool DualPointIsBest() const override { return !options_.fixed_step; }

 private:
  std::span<const double> newest() const { return std::span(iterate_).first(iterate_.size() - 1); }
  double Dual() const { return iterate_.back() - Regulariser(problem_.lambda(), newest()); }

  /// Lines 3 to 5 of Algorithm 2: y*_i of all examples at the newest weights, w_s and ℓ_s. Returns
  /// false when `stop` ended the sweep; the corners are then incomplete.
  bool Sweep(const StopControl& stop) {
    ExampleEvaluator& oracles = inexact_ ? *inexact_ : evaluator_;
    const int threads = NumThreads(options_.threads);
    swept_ = oracles.Sweep(newest(), warm_, threads, stop, [this](Index m, const Corner& corner) {
      corners_.Set(m, corner.coordinates, corner.loss);
      bounds_[m] = corner.upper_bound;
    });
    if (!swept_) return false;
    oracle_calls_ += problem_.size();
    std::fill(target_.begin(), target_.end(), 0.0);
    corners_.AddFeatures(problem_, 1 / problem_.lambda_m(),
                         std::span(target_).first(target_.size() - 1));
    target_.back() = corners_.MeanLoss();
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

  /// Lines 6 and 7 of Algorithm 2: γ, and the step.
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
    for (std::size_t k = 0; k <= d; ++k) iterate_[k] = (1 - step) * iterate_[k] + step * target_[k];
    points_.Mix(step, corners_);
    ++steps_;
    block_steps_ += problem_.size();
  }

  std::optional<ExampleEvaluator> inexact_;  // of passes
  std::vector<double> iterate_;
  std::vector<double> target_;
  DualPoints corners_;
  std::vector<double> bounds_;
  std::vector<double> best_;  // of all iterates whose primal is known; empty before the first
  double best_primal_ = 0;
  bool swept_ = false;  // target_ belongs to the newest weights
  std::int64_t steps_ = 0;
};

constexpr std::span<const OptionRecord> kFrankWolfeOptionLists[] = {kInexactOptions};

}  // namespace

constinit const LearnerRecord kFrankWolfeLearner = {
    .name = "fw",
    .summary = "Frank-Wolfe on all examples at once",
    .section = "Frank-Wolfe: `fw` and `bcfw`",
    .make = MakeReference<FrankWolfeLearner>,
    .variants = kOracleVariants,
    .reads = "keep-newest fixed-step rescaling oracle",
    .options = kFrankWolfeOptionLists,
    .own_steps = "takes Frank-Wolfe steps only",
    .own_order = "takes all examples at once",
    .keeps_state = false,
    .check = [](const TrainOptions& options) { CheckInexact(options, true); }};

}  // namespace slackline::internal
