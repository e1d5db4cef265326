// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/point_block_learner.h>

#include <cmath>
#include <utility>

#include <slackline/learning/oracle/inexact_options.h>

namespace slackline::internal {

PointBlockLearner::PointBlockLearner(const Problem& problem, const TrainOptions& options,
                                     const PointBlocks::Terms& terms)
    : ExampleBlockLearner(problem, options, CheckingOracle(options)),
      blocks_(problem, terms, OracleOfPasses(problem, options, &evaluator_, &inexact_)),
      average_(AverageRuleOf(options), problem.num_weights()) {}

double PointBlockLearner::Primal(std::span<const double> weights, int threads) {
  double one_norm = 0;
  if (blocks_.terms().l1 > 0) {
    for (const double x : weights) one_norm += std::abs(x);
  }
  const double l1_term = blocks_.terms().l1 * one_norm;
  const double regulariser = Regulariser(problem_.lambda(), weights);
  const PointBlocks::Hinges hinges = blocks_.MeanHinges(weights, &evaluator_, threads);
  if (blocks_.projects()) return l1_term + regulariser + hinges.mean;
  return l1_term + (regulariser + hinges.mean) + hinges.rest;
}

Evaluation PointBlockLearner::Evaluate(int threads) {
  // Evaluations must not change the weights of the passes.
  blocks_.points().Weights(problem_, &evaluated_);
  blocks_.Map(&evaluated_);
  Evaluation evaluation;
  evaluation.problem = evaluator_.certified();
  evaluation.dual =
      blocks_.TotalValue() / problem_.size() - Regulariser(problem_.lambda(), evaluated_);
  evaluation.primal = Primal(evaluated_, threads);
  if (average_.active()) {
    std::vector<double> average;
    average_.Read(blocks_.v(), &average);
    blocks_.Map(&average);
    TakeOutput(
        std::move(average),
        [&](std::span<const double> weights) { return Primal(weights, threads); }, &evaluation);
  }
  return evaluation;
}

bool PointBlockLearner::DualPoint(Index m, std::vector<double>* coordinates, double* loss) const {
  blocks_.points().Read(problem_.data().example(m), m, 1, coordinates);
  *loss = blocks_.Value(m);
  return true;
}

void PointBlockLearner::ArchiveCommon(StateArchive* archive) {
  blocks_.Archive(archive);
  average_.Archive(archive);
  archive->Passes(&pass_);
  if (archive->loading()) evaluated_.clear();
}

void PointBlockLearner::ChangeLambda(const Problem& problem) {
  ChangeProblem(problem);
  if (inexact_) inexact_->set_problem(problem);
  blocks_.ChangeProblem(problem);
  average_ = average_.Restarted();
  std::vector<double> v;
  blocks_.points().Weights(problem_, &v);
  blocks_.terms().signs.Clip(v);
  blocks_.ScalePoints(PointBlocks::BestMixture(blocks_.SumOfTerms(), v, blocks_.terms(),
                                               problem_.lambda(), problem_.size()));
  blocks_.Rebuild();
}

}  // namespace slackline::internal
