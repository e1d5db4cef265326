// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/learner.h>

#include <stdexcept>

namespace slackline::internal {

void Learner::Archive(StateArchive* archive) {
  throw std::logic_error(archive->loading() ? "the learner cannot load a state"
                                            : "the learner cannot save its state");
}

void Learner::Save(StateWriter* writer) {
  StateArchive archive(writer);
  Archive(&archive);
}

void Learner::Load(StateReader* reader) {
  StateArchive archive(reader);
  Archive(&archive);
}

ObjectiveScales ScalesOf(const Problem& problem) {
  return {PrimalAtZeroWeights(problem), ScoreScale(problem), RelaxationExceedsZero(problem)};
}

double GapEstimate(const Learner& learner) {
  const CheckAdvisor* advisor = learner.traits().advisor;
  return advisor == nullptr ? kNone : advisor->GapEstimate();
}

Index PassesBefore(const Learner& learner) {
  const CheckAdvisor* advisor = learner.traits().advisor;
  return advisor == nullptr ? 0 : advisor->PassesBefore();
}

bool CheckIsCheap(const Learner& learner) {
  const CheckAdvisor* advisor = learner.traits().advisor;
  return advisor == nullptr || advisor->CheckIsCheap();
}

std::string Adapt(const Learner& learner, const Evaluation& evaluation) {
  CheckListener* listener = learner.traits().listener;
  return listener == nullptr ? std::string() : listener->Adapt(evaluation);
}

Evaluation EvaluateThenPass(Learner& learner, int threads, const StopControl& stop,
                            double* pass_seconds) {
  const Evaluation evaluation = learner.Evaluate(threads);
  const WallTimer timer;
  learner.RunPass(stop);
  *pass_seconds = timer.Seconds();
  return evaluation;
}

bool EvaluatesBesidePasses(const Learner& learner) {
  const CheckCompanion* companion = learner.traits().companion;
  return companion != nullptr && companion->EvaluatesBesidePasses();
}

}  // namespace slackline::internal
