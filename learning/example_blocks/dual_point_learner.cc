// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/dual_point_learner.h>

#include <utility>

#include <slackline/learning/oracle/inexact_options.h>

namespace slackline::internal {
namespace {

constexpr Index kPassesPerRebuild = 64;  // passes

}  // namespace

DualPointLearner::DualPointLearner(const Problem& problem, const TrainOptions& options)
    : ExampleBlockLearner(problem, options, CheckingOracle(options)),
      points_(problem),
      warm_(problem.size()),
      average_(AverageRuleOf(options), problem.num_weights()) {
  evaluator_.oracle();
}

bool DualPointLearner::DualPoint(Index m, std::vector<double>* coordinates, double* loss) const {
  *loss = points_.Read(problem_.data().example(m), m, PointShare(m), coordinates);
  return true;
}

Corner DualPointLearner::Ask(Index m, std::span<const double> weights, double scale) {
  ++oracle_calls_;
  return oracle().Maximise(m, weights, &warm_[m], {}, scale);
}

Evaluation DualPointLearner::Certify(double dual, std::span<const double> newest, int threads) {
  const auto primal = [&](std::span<const double> weights) {
    return evaluator_.Primal(weights, warm_, threads);
  };
  Evaluation evaluation;
  evaluation.problem = evaluator_.certified();
  evaluation.dual = dual;
  evaluation.primal = primal(evaluated_);
  if (!average_.active()) return evaluation;
  std::vector<double> mean;
  average_.Read(newest, &mean);
  TakeOutput(std::move(mean), primal, &evaluation);
  return evaluation;
}

bool DualPointLearner::EndPass() { return ++pass_ % kPassesPerRebuild == 0; }

void DualPointLearner::ArchiveCommon(StateArchive* archive) {
  for (WarmStart& warm : warm_) archive->Bytes(&warm.bytes);
  average_.Archive(archive);
  if (archive->loading()) evaluated_.clear();
}

void DualPointLearner::ChangeProblem(const Problem& problem) {
  ExampleBlockLearner::ChangeProblem(problem);
  average_ = average_.Restarted();
  oracle_calls_ = 0;
}

}  // namespace slackline::internal
