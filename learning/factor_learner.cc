// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/factor_learner.h>

#include <limits>

namespace slackline {
namespace {

/// Steps gather rounding errors in w: it is rebuilt after so many passes.
constexpr Index kRebuildEvery = 64;

}  // namespace

FactorLearner::FactorLearner(const Problem& problem, const TrainOptions& options, bool multipliers)
    : uniform_order_(options.order == OrderKind::kUniform),
      blocks_(problem, options.step, multipliers),
      mixture_(problem.lambda()),
      random_(static_cast<std::uint64_t>(options.seed)),
      examples_(problem.size()),
      uniform_(problem) {}

Evaluation FactorLearner::Evaluate(int threads) {
  const FactorEvaluation point = EvaluateFactorBlocks(blocks_, threads, &weights_, &mixture_);
  Evaluation evaluation;
  evaluation.primal = point.relaxed_primal;
  evaluation.dual = mixture_.value();
  evaluation.soft_primal = point.soft_primal;
  evaluation.soft_dual = point.soft_dual;
  evaluation.soft_gap = point.soft_primal - point.soft_dual;
  evaluation.violation = point.violation;
  evaluation.rho = blocks_.rho();
  return evaluation;
}

void FactorLearner::FinishPass() {
  if (++pass_ % kRebuildEvery == 0) blocks_.Rebuild();
}

void FactorLearner::Save(StateWriter* writer) const {
  writer->Tag("factor learner");
  SaveRandom(random_, writer);
  examples_.Save(writer);
  blocks_.Save(writer);
  mixture_.Save(writer);
  writer->Integer(pass_);
}

void FactorLearner::Load(StateReader* reader) {
  reader->Tag("factor learner");
  LoadRandom(reader, &random_);
  examples_.Load(reader);
  blocks_.Load(reader);
  mixture_.Load(problem().num_weights(), reader);
  pass_ = static_cast<Index>(reader->Integer(0, std::numeric_limits<Index>::max()));
  weights_.clear();
}

void FactorLearner::ChangeLambda(const Problem& problem) {
  blocks_.ChangeLambda(problem);
  mixture_ = DualMixture(problem.lambda());
  pass_ = 0;
}

}  // namespace slackline
