// SPDX-License-Identifier: BSD-3-Clause
//
// What learners on marginals have in common (exponentiated_gradient, excessive_gap, extragradient):
// where they apply, sweeps over all examples, and the certificate.
//
// Their dual points are exact marginals of forests, so f(μ) is a lower bound on the optimum as it
// is; the share ≤ 1 of μ, the rest being the ground truth, that makes the bound largest is known in
// closed form (BestShare). The upper bound is P at the learner's weights, by max-product
// (tree_dp.h). Both are about the exact problem. Forbidden states take part.
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
  /// Calls of sum-product, those that lead to no step included, and steps on examples.
  WorkCounts work() const override { return {oracle_calls_, block_steps_}; }

  void KeepDualPoint() override { keep_best_ = true; }
  bool DualPointIsBest() const override { return keep_best_ && !evaluations_unkept_; }
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;

 protected:
  /// Throws DataError where ExampleMarginals does.
  MarginalLearner(const Problem& problem, const TrainOptions& options);

  /// What a sweep over all examples finds at one member of the family of example_marginals.h, the
  /// same for all examples.
  struct SweepResult {
    explicit SweepResult(const Problem& problem) : points(problem) {}
    DualPoints points;            ///< its marginals μ
    std::vector<double> weights;  ///< Ψμ
    double loss = 0;              ///< (1/M) Σ Δ_m·μ_m
    double log_partition = 0;     ///< mean over the examples
    double terms = 0;             ///< the same of the size of what it is summed from
  };
  /// p_m(y) ∝ exp((loss_scale · Δ_m(y) − weights·ψ_m(y)) / temperature). False when `stop` cut it
  /// short: *result is then unspecified.
  bool Sweep(std::span<const double> weights, double loss_scale, double temperature,
             const StopControl& stop, SweepResult* result);

  enum class Outcome { kGood, kBroken, kCut };
  /// Calls attempt() until its outcome is kGood, and fail() where it is kBroken. False where
  /// nothing was good in so many trials, or where `stop` cut an attempt short.
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

  /// The certificate of weights w (which weights() then returns), and of a dual point with ψ = Ψμ
  /// and loss = (1/M) Σ Δ_m·μ_m.
  Evaluation Certify(std::vector<double> w, const DualPoints& points, std::span<const double> psi,
                     double loss, int threads);

  void ArchiveCommon(StateArchive* archive);
  /// Begins anew with another λ.
  void ChangeProblem(const Problem& problem);

  /// Mean over the examples of log |Y_m|: the largest entropy.
  double mean_log_labellings() const { return mean_log_labellings_; }

  Problem problem_;
  TrainOptions options_;
  ExampleMarginals marginals_;
  std::int64_t oracle_calls_ = 0;
  std::int64_t block_steps_ = 0;

 private:
  /// What DualPoint reads where no best point is kept.
  virtual const DualPoints& NewestPoints() const = 0;

  ExampleEvaluator evaluator_;
  double mean_log_labellings_ = 0;
  double share_ = 1;  // of the newest points in the last certificate
  bool keep_best_ = false;
  bool evaluations_unkept_ = false;  // a saved run made evaluations whose points are not known
  double best_dual_ = -kInfinity;
  double best_share_ = 1;
  std::vector<DualPoints> best_;  // one, or none
};

}  // namespace slackline::internal
