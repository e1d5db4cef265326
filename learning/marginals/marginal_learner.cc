// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/marginals/marginal_learner.h>

#include <algorithm>
#include <utility>

#include <slackline/core/feature_map.h>
#include <slackline/learning/step/dual_mixture.h>

namespace slackline::internal {

MarginalLearner::MarginalLearner(const Problem& problem, const TrainOptions& options)
    : problem_(problem),
      options_(options),
      marginals_(problem, Name(options.learner)),
      evaluator_(problem, {.solver = SolverKind::kTree, .ways = ExampleOracle::Ways::kSolvers}) {
  traits_ = {.dual_point = this, .lambda = this};
  evaluator_.oracle();
  for (Index m = 0; m < problem.size(); ++m) mean_log_labellings_ += marginals_.LogLabellings(m);
  mean_log_labellings_ /= problem.size();
}

bool MarginalLearner::DualPoint(Index m, std::vector<double>* coordinates, double* loss) const {
  const ExampleView example = problem_.data().example(m);
  *loss = best_.empty() ? NewestPoints().Read(example, m, share_, coordinates)
                        : best_[0].Read(example, m, best_share_, coordinates);
  return true;
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

Evaluation MarginalLearner::Certify(std::vector<double> w, const DualPoints& points,
                                    std::span<const double> psi, double loss, int threads) {
  Evaluation evaluation;
  evaluation.problem = CertifiedProblem::kExact;
  const double regulariser = Regulariser(problem_.lambda(), psi);
  share_ = BestShare(loss, regulariser);
  evaluation.dual = share_ * loss - share_ * share_ * regulariser;
  evaluated_ = std::move(w);
  evaluation.primal = evaluator_.Primal(evaluated_, {}, threads);
  if (keep_best_ && evaluation.dual > best_dual_) {
    best_.assign(1, points);
    best_share_ = share_;
    best_dual_ = evaluation.dual;
  }
  return evaluation;
}

void MarginalLearner::ArchiveCommon(StateArchive* archive) {
  archive->Tag("marginals");
  archive->Count(&oracle_calls_);
  archive->Count(&block_steps_);
  bool known = keep_best_ && !evaluations_unkept_;
  archive->Flag(&known);
  if (archive->loading()) {
    evaluated_.clear();
    share_ = 1;
    best_.clear();
    best_dual_ = -kInfinity;
    evaluations_unkept_ = !known;
  }
  if (!known) return;
  double dual = best_dual_;
  archive->Real(&dual);
  bool exists = !best_.empty();
  archive->Flag(&exists);
  if (!exists) return;
  archive->NonNegativeReal(&best_share_);
  archive->Require(best_share_ <= 1, "a share is larger than one");
  if (archive->loading()) best_.assign(1, DualPoints(problem_));
  best_[0].Archive(archive);
  if (keep_best_) {
    best_dual_ = dual;
  } else {
    best_.clear();
  }
}

void MarginalLearner::ChangeProblem(const Problem& problem) {
  problem_ = problem;
  evaluator_.set_problem(problem);
  oracle_calls_ = block_steps_ = 0;
  share_ = 1;
  best_.clear();
  best_dual_ = -kInfinity;
  evaluations_unkept_ = false;
}

}  // namespace slackline::internal
