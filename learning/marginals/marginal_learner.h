// SPDX-License-Identifier: BSD-3-Clause
//
// Base class of the learners on marginals (exponentiated_gradient, excessive_gap, extragradient):
// the check that they apply, sweeps over all examples, and the certificate.
//
// The dual points are exact marginals of forests, so that f(μ) is a lower bound on the optimum. The
// bound is improved by mixing μ with the ground truth; BestShare gives the best share of μ, at most
// 1, in closed form. The upper bound is P at the learner's weights, by max-product (tree_dp.h).
// Both bounds are of the exact problem. Forbidden states are supported.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/oracle/example_evaluator.h>
#include <slackline/learning/oracle/example_marginals.h>
#include <slackline/learning/step/dual_points.h>

namespace slackline::internal {

class MarginalLearner : public Learner, public DualPointSource, public LambdaFollower {
 public:
  /// Calls of sum-product, including those of failed trials, and steps on examples.
  WorkCounts work() const override { return {oracle_calls_, block_steps_}; }

  void KeepDualPoint() override { keep_best_ = true; }
  bool DualPointIsBest() const override { return keep_best_ && !evaluations_unkept_; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;

 protected:
  /// Throws DataError where ExampleMarginals does.
  MarginalLearner(const Problem& problem, const TrainOptions& options);

  /// The result of a sweep over all examples: expectations under the distributions of
  /// example_marginals.h with the same parameters for all examples.
  struct SweepResult {
    explicit SweepResult(const Problem& problem) : points(problem) {}
    DualPoints points;            ///< marginals μ
    std::vector<double> weights;  ///< Ψμ
    double loss = 0;              ///< (1/M) Σ Δ_m·μ_m
    double log_partition = 0;     ///< mean over the examples
    double terms = 0;             ///< mean size of the terms of the log-partition sums
  };
  /// Sweeps at p_m(y) ∝ exp((loss_scale · Δ_m(y) − weights·ψ_m(y)) / temperature). Returns false
  /// when `stop` cut the sweep short; *result is unspecified then.
  bool Sweep(std::span<const double> weights, double loss_scale, double temperature,
             const StopControl& stop, SweepResult* result);

  enum class Outcome { kGood, kBroken, kCut };
  /// Calls attempt() until its outcome is kGood, and fail() after every kBroken. Returns false when
  /// none of `trials` attempts was good, or when an attempt was cut short (kCut).
  template <class Attempt, class Fail>
  bool StepByTrials(int trials, const Attempt& attempt, const Fail& fail) {
    for (int trial = 0; trial < trials; ++trial) {
      const Outcome outcome = attempt();
      if (outcome == Outcome::kCut) return false;
      if (outcome == Outcome::kGood) {
        block_steps_ += problem_.size();
        return true;
      }
      fail();
    }
    return false;
  }

  /// The certificate of weights w, which weights() returns from then on, and of a dual point with
  /// psi = Ψμ and loss = (1/M) Σ Δ_m·μ_m.
  Evaluation Certify(std::vector<double> w, const DualPoints& points, std::span<const double> psi,
                     double loss, int threads);

  void ArchiveCommon(StateArchive* archive);
  /// Changes to another λ: counts and the best dual point begin anew.
  void ChangeProblem(const Problem& problem);

  /// Mean over the examples of log |Y_m|, the largest possible entropy.
  double mean_log_labellings() const { return mean_log_labellings_; }

  Problem problem_;
  TrainOptions options_;
  ExampleMarginals marginals_;
  std::int64_t oracle_calls_ = 0;
  std::int64_t block_steps_ = 0;

 private:
  /// The points that DualPoint reads when no best point is kept.
  virtual const DualPoints& NewestPoints() const = 0;

  ExampleEvaluator evaluator_;
  double mean_log_labellings_ = 0;
  double share_ = 1;  // share of the newest points in the last certificate
  bool keep_best_ = false;
  bool evaluations_unkept_ = false;  // a saved run did not keep the points of its evaluations
  double best_dual_ = -kInfinity;
  double best_share_ = 1;
  std::vector<DualPoints> best_;  // the best points, if kept: one element or none
};

}  // namespace slackline::internal
