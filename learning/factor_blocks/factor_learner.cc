// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_blocks/factor_learner.h>

#include <algorithm>

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
      uniform_(problem),
      steps_since_update_(problem.size(), 0) {
  traits_ = {.dual_point = this, .lambda = this, .advisor = this};
}

Evaluation FactorLearner::Evaluate(int threads) {
  checked_at_ = pass_;
  const FactorEvaluation point = EvaluateFactorBlocks(blocks_, threads, &evaluated_, &mixture_,
                                                      keeping_.keeps() ? &points_ : nullptr);
  keeping_.AfterCheck();
  return EvaluationOf(point, certified_, mixture_.value(), blocks_.rho());
}

bool FactorLearner::DualPoint(Index m, std::vector<double>* coordinates, double* loss) const {
  *loss = DualPointIsBest() ? points_.best().Read(problem().data().example(m), m, 1, coordinates)
                            : FeasibleCoordinates(blocks_, m, coordinates);
  return true;
}

void FactorLearner::StepBlocks(const FactorPass& pass, const StopControl& stop) {
  blocks_.set_rho(pass.rho);
  if (uniform_order_) {
    StepUniformly(pass, stop);
  } else {
    VisitAll(pass.eta_step, stop);
  }
}

/// Draws blocks with replacement, as many as there are in total. The multipliers of an example are
/// updated once the steps on its blocks amount to visits_per_update visits.
void FactorLearner::StepUniformly(const FactorPass& pass, const StopControl& stop) {
  for (Offset k = 0; k < uniform_.count(); ++k) {
    const Block block = uniform_.Next(&visits_.random());
    blocks_.StepBlock(block.example, block.part);
    if (pass.eta_step > 0) {
      Offset& steps = steps_since_update_[block.example];
      const Offset parts = problem().data().example(block.example).graph().num_blocks();
      if (++steps >= parts * pass.visits_per_update) {
        blocks_.UpdateMultipliers(block.example, pass.eta_step);
        steps = 0;
      }
    }
    // A single block step takes less time than reading the clock.
    if (k % 1024 == 0 && stop.ShouldStop()) break;
  }
}

void FactorLearner::VisitAll(double eta_step, const StopControl& stop) {
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
  archive->Offsets(steps_since_update_);
  ArchiveControl(archive);
  ArchivePoints(problem(), mixture_, &keeping_, &points_, archive);
  if (archive->loading()) evaluated_.clear();
}

void FactorLearner::ChangeLambda(const Problem& problem) {
  blocks_.ChangeLambda(problem);
  shrinking_.Restart();
  mixture_ = DualMixture(problem.lambda());
  points_ = MixedPoints();
  keeping_.Restart();
  std::fill(steps_since_update_.begin(), steps_since_update_.end(), Offset{0});
  pass_ = checked_at_ = 0;
}

}  // namespace slackline::internal
