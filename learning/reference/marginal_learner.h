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

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <slackline/learning/learner_record.h>
#include <slackline/learning/oracle/example_marginals.h>
#include <slackline/learning/reference/reference_learner.h>

namespace slackline::internal {

/// For the records of these learners.
inline constexpr LearnerVariant kMarginalVariants[] = {{.needs = kNeedsMarginals}};
inline constexpr std::string_view kMarginalSection =
    "Methods with marginals: `eg`, `excessive-gap`, `extragradient`";

class MarginalLearner : public ReferenceLearner {
 public:
  void KeepDualPoint() override { keeps_best_ = true; }
  /// The newest point, or the best one of all certificates since KeepDualPoint.
  bool DualPoint(Index m, std::vector<double>* coordinates, double* loss) const override;
  bool DualPointIsBest() const override { return keeps_best_; }

 protected:
  /// Throws DataError where ExampleMarginals does.
  MarginalLearner(const Problem& problem, const TrainOptions& options);

  /// The result of a sweep over all examples: expectations under the distributions of
  /// example_marginals.h with the same parameters for all examples.
  struct SweepResult {
    explicit SweepResult(const Problem& problem)
        : points(problem), weights(problem.num_weights(), 0.0) {}
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

  /// The certificate of the weights, and of points_ with psi = Ψμ and loss = (1/M) Σ Δ_m·μ_m.
  Evaluation CertifyPoints(std::vector<double> weights, std::span<const double> psi, double loss,
                           int threads);

  /// Mean over the examples of log |Y_m|, the largest possible entropy.
  double mean_log_labellings() const { return mean_log_labellings_; }

  ExampleMarginals marginals_;

 private:
  double mean_log_labellings_ = 0;
  bool keeps_best_ = false;
  std::optional<DualPoints> best_;
  double best_dual_ = -kInfinity;
};

}  // namespace slackline::internal
