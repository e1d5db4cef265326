// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `ssg`: stochastic subgradient steps on the primal.
//
// Source: Shalev-Shwartz, Singer, Srebro, Cotter, "Pegasos: primal estimated sub-gradient solver
// for SVM", Mathematical Programming 2011, figure 1 without its optional projection, with the steps
// 1/(λ(k+1)) that Lacoste-Julien, Jaggi, Schmidt, Pletscher compare with (ICML 2013, appendix F):
//     w_{k+1} = (1 − 1/(k+1)) w_k + ψ_i(y*) / (λ(k+1)).
// Axes: blocks = examples · oracle = any MapSolver · step = fixed · order = a fresh permutation
// each pass, or drawn with replacement.
//
//   symbol    here                  shape
//   k         steps_
//   λk·w_k    sum_                  num_weights: the sum of all ψ so far, which a step changes
//                                   where ψ is not zero
//   μ_i       points_, visits_of_   sum and number of the corners of an example, dual_points.h and
//                                   one number per example
//
// The dual bound: the subgradient method knows no dual, but its iterates are
//     w_k = Ψμ with μ_i = (M/k) Σ_{steps t at example i} corner_t,
// since the first step forgets w_0. After whole passes in permuted order every example has had k/M
// steps: μ_i is the mean of its corners, a feasible dual point. In general example i has mass a_i =
// (M/k) · (its steps) instead of 1. Missing mass belongs to the ground truth, which adds nothing to
// w or to the loss; if the largest a exceeds 1, all points are multiplied by θ = 1/max a. So f(θμ)
// is a lower bound for any order; θ is lowered further if that makes f larger (BestShare). The
// bound is that of the newest point, and need not rise from check to check.
//
// Averages (TrainOptions::average) are of the primal iterates; their bound is the newest point's.
// Cost of a step, as for bcfw without line search: one oracle call, one evaluation of the score
// tables, one sweep over the input.
#include <algorithm>
#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/reference/reference_learner.h>
#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/step/dual_mixture.h>
#include <slackline/learning/step/iterate_average.h>
#include <slackline/learning/step/sampling.h>

namespace slackline::internal {
namespace {

class SubgradientLearner : public ReferenceLearner {
 public:
  SubgradientLearner(const Problem& problem, const TrainOptions& options)
      : ReferenceLearner(problem, options, CheckingOracle(options)),
        visits_(options, problem.data()),
        average_(AverageRuleOf(options), problem.num_weights()),
        sum_(problem.num_weights(), 0.0),
        visits_of_(problem.size(), 0.0) {}

  void RunPass(const StopControl& stop) override {
    visits_.Pass(stop, [&](Index m) { Step(m); });
    FindShare();
  }

  Evaluation Evaluate(int threads) override {
    std::vector<double> weights = sum_;
    for (double& weight : weights) weight *= Scale();
    const double dual =
        theta_ * MeanLoss() - theta_ * theta_ * Regulariser(problem_.lambda(), weights);
    Evaluation evaluation = Certify(std::move(weights), dual, threads);
    if (!average_.active()) return evaluation;
    std::vector<double> mean;
    average_.Read(sum_, &mean);
    const double primal = evaluator_.Primal(mean, warm_, threads);
    if (!options_.keep_newest && !(primal < evaluation.primal)) return evaluation;
    evaluation.primal = primal;
    evaluated_ = std::move(mean);
    return evaluation;
  }

 private:
  double Steps() const { return static_cast<double>(block_steps_); }
  /// w = Scale() · sum_.
  double Scale() const { return block_steps_ > 0 ? 1 / (problem_.lambda() * Steps()) : 0; }
  /// μ = PointScale() · points_, and a = PointScale() · visits_of_.
  double PointScale() const { return block_steps_ > 0 ? problem_.size() / Steps() : 0; }
  double MeanLoss() const { return PointScale() * points_.TotalLoss() / problem_.size(); }

  /// One iteration of figure 1.
  void Step(Index m) {
    const ExampleView example = problem_.data().example(m);
    const Corner corner = Ask(m, sum_, Scale());
    ScatterFeatures(example, corner.coordinates, 1, sum_);
    if (average_.active())
      ScatterFeatures(example, corner.coordinates, average_.scale(), average_.lag());
    points_.Add(m, 1, corner.coordinates, corner.loss);
    ++visits_of_[m];
    average_.EndStep(Scale());
  }

  /// Computes θ.
  void FindShare() {
    const double squares = 2 * Regulariser(1, sum_);
    const double regulariser = 0.5 * problem_.lambda() * Scale() * Scale() * squares;
    const double mass = PointScale() * *std::max_element(visits_of_.begin(), visits_of_.end());
    theta_ = std::min(BestShare(MeanLoss(), regulariser), mass > 1 ? 1 / mass : 1.0);
    share_ = theta_ * PointScale();
  }

  ExampleVisits visits_;
  IterateAverage average_;
  std::vector<double> sum_;
  std::vector<double> visits_of_;
  double theta_ = 1;
};

}  // namespace

constinit const LearnerRecord kSubgradientLearner = {
    .name = "ssg",
    .summary = "stochastic subgradient steps on the primal (Pegasos)",
    .section = "Subgradients: `ssg`",
    .make = MakeReference<SubgradientLearner>,
    .variants = kOracleVariants,
    .reads = "average keep-newest rescaling oracle",
    .own_steps = "takes subgradient steps only",
    .keeps_state = false};

}  // namespace slackline::internal
