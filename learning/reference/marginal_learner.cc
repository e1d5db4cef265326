// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/reference/marginal_learner.h>

#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/learning/step/dual_mixture.h>

namespace slackline::internal {

MarginalLearner::MarginalLearner(const Problem& problem, const TrainOptions& options)
    : ReferenceLearner(problem, options,
                       {.solver = SolverKind::kTree, .ways = ExampleOracle::Ways::kSolvers}),
      marginals_(problem, Name(options.learner)) {
  for (Index m = 0; m < problem.size(); ++m) mean_log_labellings_ += marginals_.LogLabellings(m);
  mean_log_labellings_ /= problem.size();
}

bool MarginalLearner::Sweep(std::span<const double> weights, double loss_scale, double temperature,
                            const StopControl& stop, SweepResult* result) {
  result->weights.assign(weights.size(), 0.0);
  result->loss = result->log_partition = result->terms = 0;
  std::vector<double> scores;
  for (Index m = 0; m < problem_.size(); ++m) {
    if (stop.ShouldStop()) return false;
    const ExampleView example = problem_.data().example(m);
    scores.resize(example.structure().num_coordinates());
    CoordinateScores(example, weights, scores);
    const Expectation expectation = marginals_.Expect(m, loss_scale, scores, temperature);
    ++oracle_calls_;
    result->points.Set(m, expectation.coordinates, expectation.loss);
    result->loss += expectation.loss;
    result->log_partition += expectation.log_partition;
    result->terms += expectation.terms;
    ScatterFeatures(example, result->points.coordinates(m), 1 / problem_.lambda_m(),
                    result->weights);
  }
  result->loss /= problem_.size();
  result->log_partition /= problem_.size();
  result->terms /= problem_.size();
  return true;
}

Evaluation MarginalLearner::CertifyPoints(std::vector<double> weights, std::span<const double> psi,
                                          double loss, int threads) {
  const double regulariser = Regulariser(problem_.lambda(), psi);
  share_ = BestShare(loss, regulariser);
  const double dual = share_ * loss - share_ * share_ * regulariser;
  if (keeps_best_ && dual > best_dual_) {
    best_ = points_;
    best_->Scale(share_);
    best_dual_ = dual;
  }
  return Certify(std::move(weights), dual, threads);
}

bool MarginalLearner::DualPoint(Index m, std::vector<double>* coordinates, double* loss) const {
  if (!best_) return ReferenceLearner::DualPoint(m, coordinates, loss);
  *loss = best_->Read(problem_.data().example(m), m, 1, coordinates);
  return true;
}

}  // namespace slackline::internal
