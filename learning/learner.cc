// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/learner.h>

#include <stdexcept>
#include <string>

namespace slackline::internal {
namespace {

[[noreturn]] void Lacks(std::string_view learner, const char* what) {
  throw std::logic_error("learner '" + std::string(learner) + "' " + what);
}

}  // namespace

Evaluation Learner::EvaluateBesidePass(int threads, const StopControl& stop, double* pass_seconds) {
  const Evaluation evaluation = Evaluate(threads);
  const WallTimer timer;
  RunPass(stop);
  *pass_seconds = timer.Seconds();
  return evaluation;
}

void Learner::Save(StateWriter* /*writer*/) const { Lacks(name(), "cannot save its state"); }
void Learner::Load(StateReader* /*reader*/) { Lacks(name(), "cannot load a state"); }
void Learner::ChangeLambda(const Problem& /*problem*/) {
  Lacks(name(), "cannot go on with another lambda");
}

}  // namespace slackline::internal
