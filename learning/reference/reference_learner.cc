// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/reference/reference_learner.h>

#include <utility>

namespace slackline::internal {

ReferenceLearner::ReferenceLearner(const Problem& problem, const TrainOptions& options,
                                   const ExampleOracle::Options& oracle)
    : problem_(problem),
      options_(options),
      evaluator_(problem, oracle),
      points_(problem),
      warm_(problem.size()) {
  traits_.dual_point = this;
  evaluator_.oracle();
}

bool ReferenceLearner::DualPoint(Index m, std::vector<double>* coordinates, double* loss) const {
  *loss = points_.Read(problem_.data().example(m), m, share_, coordinates);
  return true;
}

Corner ReferenceLearner::Ask(Index m, std::span<const double> weights, double scale) {
  ++oracle_calls_;
  ++block_steps_;
  return evaluator_.oracle().Maximise(m, weights, &warm_[m], {}, scale);
}

Evaluation ReferenceLearner::Certify(std::vector<double> weights, double dual, int threads) {
  evaluated_ = std::move(weights);
  Evaluation evaluation;
  evaluation.problem = evaluator_.certified();
  evaluation.dual = dual;
  evaluation.primal = evaluator_.Primal(evaluated_, warm_, threads);
  return evaluation;
}

}  // namespace slackline::internal
