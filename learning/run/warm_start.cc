// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/warm_start.h>

#include <algorithm>

#include <slackline/learning/run/loop_state.h>
#include <slackline/learning/state_archive.h>
#include <slackline/learning/train_loop.h>

namespace slackline::internal {
namespace {

Fingerprint WithoutLambda(Fingerprint fingerprint) {
  std::erase_if(fingerprint, [](const auto& entry) { return entry.first == "--lambda"; });
  return fingerprint;
}

}  // namespace

Continuation ContinuationFrom(const Fingerprint& saved, const Fingerprint& now) {
  if (saved == now) return Continuation::kResume;
  return WithoutLambda(saved) == WithoutLambda(now) ? Continuation::kFollow : Continuation::kNew;
}

std::unique_ptr<Learner> FollowLambda(const Problem& problem, const TrainOptions& options,
                                      std::string_view state, double state_lambda) {
  // The state belongs to a learner of the earlier problem, so such a learner is made to read it.
  const Problem earlier = problem.WithLambda(state_lambda);
  TrainOptions of_state = options;
  of_state.lambda = 0;
  std::unique_ptr<Learner> learner = MakeLearner(earlier, of_state);
  LambdaFollower* const follower = learner->traits().lambda;
  if (follower == nullptr) return nullptr;
  StateReader reader(state);
  StateArchive archive(&reader);
  LoopState loop;  // the bounds and weights of the earlier λ are read, but not used
  loop.Archive(&archive);
  learner->Archive(&archive);
  reader.Finish();
  follower->ChangeLambda(problem);
  return learner;
}

}  // namespace slackline::internal
