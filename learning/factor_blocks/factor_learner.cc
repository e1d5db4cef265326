// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/factor_learner.h>

#include <limits>

#include <slackline/learning/factor_blocks/augmented_lagrangian.h>

namespace slackline::internal {

Evaluation EvaluationOf(const FactorEvaluation& point, CertifiedProblem problem, double dual,
                        double rho) {
  Evaluation evaluation;
  evaluation.problem = problem;
  evaluation.primal = point.relaxed_primal;
  evaluation.dual = dual;
  evaluation.soft_primal = point.soft_primal;
  evaluation.soft_dual = point.soft_dual;
  evaluation.soft_gap = point.soft_primal - point.soft_dual;
  evaluation.violation = point.violation;
  evaluation.rho = rho;
  return evaluation;
}

FactorLearner::FactorLearner(const Problem& problem, const TrainOptions& options, bool multipliers)
    : certified_(HasFactors(problem.data()) ? CertifiedProblem::kRelaxed
                                            : CertifiedProblem::kExact),
      uniform_order_(options.order == OrderKind::kUniform),
      shrinks_(multipliers && options.own<AugmentedLagrangianOptions>().shrinking != Switch::kOff),
      blocks_(problem, options.step, multipliers),
      mixture_(problem.lambda()),
      visits_(options, problem.data()),
      uniform_(problem) {
  traits_ = {.dual_point = this, .lambda = this, .advisor = this};
}

Evaluation FactorLearner::Evaluate(int threads) {
  checked_at_ = pass_;
  const FactorEvaluation point =
      EvaluateFactorBlocks(blocks_, threads, &evaluated_, &mixture_,
                           keeps_points_ && !evaluations_unkept_ ? &points_ : nullptr);
  if (!keeps_points_) evaluations_unkept_ = true;
  return EvaluationOf(point, certified_, mixture_.value(), blocks_.rho());
}

bool FactorLearner::DualPoint(Index m, std::vector<double>* coordinates, double* loss) const {
  *loss = DualPointIsBest() ? points_.best().Read(problem().data().example(m), m, 1, coordinates)
                            : FeasibleCoordinates(blocks_, m, coordinates);
  return true;
}

void FactorLearner::VisitAll(const StopControl& stop, double eta_step) {
  if (!shrinks_) {
    VisitExamples(stop, [&](Index m) { blocks_.VisitExample(m, eta_step); });
    return;
  }
  if (!shrinking_.VisitsAll()) {
    VisitExamples(stop, [&](Index m) { blocks_.VisitActive(m, eta_step); });
    return;
  }
  ActivePairs::Counts sum;
  VisitExamples(stop, [&](Index m) {
    blocks_.VisitExample(m, eta_step);
    const ActivePairs::Counts counts = blocks_.Shrink(m);
    sum.active += counts.active;
    sum.woken += counts.woken;
  });
  shrinking_.AfterAll(sum);
}

void FactorLearner::FinishPass() {
  if (++pass_ % kRebuildEvery == 0) blocks_.Rebuild();
}

void FactorLearner::Archive(StateArchive* archive) {
  archive->Tag("factor learner");
  visits_.Archive(archive);
  blocks_.Archive(archive);
  shrinking_.Archive(archive);
  mixture_.Archive(problem().num_weights(), archive);
  archive->Passes(&pass_);
  archive->Passes(&checked_at_);
  bool known = keeps_points_ && !evaluations_unkept_;
  archive->Flag(&known);
  if (archive->loading()) {
    evaluated_.clear();
    points_ = MixedPoints();
  }
  if (known) {
    points_.Archive(problem(), archive);
    archive->Require(points_.size() == mixture_.size(), "a mixture does not have its points");
  }
  if (!archive->loading()) return;
  evaluations_unkept_ = !(known && keeps_points_);
  if (evaluations_unkept_) points_ = MixedPoints();
}

void FactorLearner::ChangeLambda(const Problem& problem) {
  blocks_.ChangeLambda(problem);
  shrinking_.Restart();
  mixture_ = DualMixture(problem.lambda());
  points_ = MixedPoints();
  evaluations_unkept_ = false;
  pass_ = checked_at_ = 0;
}

}  // namespace slackline::internal
