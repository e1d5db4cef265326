// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/warm_start.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/learning/run/path_trainer.h>

#include "tests/support/agreement.h"
#include "tests/support/learner_ways.h"
#include "tests/support/states.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// All ways with a state to train on the problem, to a gap that takes some passes.
std::vector<TrainOptions> ShortWays(Random& random, const Problem& problem) {
  std::vector<TrainOptions> ways = AllWays(random, problem);
  std::erase_if(ways, [](const TrainOptions& way) { return !KeepsState(way.learner); });
  if (HasInputs(problem)) {
    const TrainOptions kernel{.learner = LearnerKind::kAugmentedLagrangian,
                              .kernel = KernelKind::kRbf};
    ways.push_back(kernel);
  }
  for (TrainOptions& options : ways) {
    Set(&options, "--gap-tolerance 0.01 --absolute-gap 0.01 --max-passes 60");
  }
  return ways;
}

struct Ended {
  TrainSummary summary;
  std::string state;    // as the plan hands it over at the end
  std::string learner;  // the state of the learner alone
};

Ended RunToEnd(const Problem& problem, Learner* learner, const TrainOptions& options,
               std::string_view resume = {}) {
  Ended ended;
  CheckpointPlan plan = ContinuedFrom(resume);
  plan.every_seconds = 1e9;
  plan.copy_before_checks = true;
  plan.write = [&](const std::string& state, auto) { ended.state = state; };
  ended.summary = RunTraining(problem, *learner, options, nullptr, nullptr, plan);
  ended.learner = StateOf(*learner);
  return ended;
}

Ended TrainToEnd(const Problem& problem, const TrainOptions& options,
                 std::string_view resume = {}) {
  return RunToEnd(problem, MakeLearner(problem, options).get(), options, resume);
}

}  // namespace

TEST_CASE("a run that ends at a limit and is resumed equals one without the limit") {
  Random random(31);
  const Problem problem(RandomMultiLabelProblem(random, 6, 5, 3, true), 0.05);
  for (TrainOptions options : ShortWays(random, problem)) {
    CAPTURE(Describe(options));
    Set(&options, "--gap-tolerance 0 --absolute-gap 0 --max-passes 20");
    const Ended whole = TrainToEnd(problem, options);
    TrainOptions half = With(options, "--max-passes 9");
    const Ended first = TrainToEnd(problem, half);
    const Ended second = TrainToEnd(problem, options, first.state);
    CHECK(second.summary.last.pass == 20);
    CHECK(second.learner == whole.learner);
  }
}

TEST_CASE("a run that follows lambda from a state equals one that changes lambda in memory") {
  for (int trial = 0; trial < 3; ++trial) {
    Random random(40 + trial);
    const Problem first(trial == 2 ? RandomProblem(random, {.potentials = true})
                                   : RandomMultiLabelProblem(random, 6, 5, 3, trial == 0),
                        0.1);
    const Problem second = first.WithLambda(0.06);
    for (const TrainOptions& options : ShortWays(random, first)) {
      CAPTURE(trial);
      CAPTURE(Describe(options));
      PathTrainer path(first, options);
      path.Train(0.1, nullptr);
      const TrainSummary expected = path.Train(0.06, nullptr);
      const Ended ended = TrainToEnd(first, options);
      const auto learner = FollowLambda(second, options, ended.state, 0.1);
      REQUIRE(learner != nullptr);
      const TrainSummary found = RunToEnd(second, learner.get(), options).summary;
      CheckSame(found, expected);
      CHECK(found.termination == expected.termination);
    }
  }
}

TEST_CASE("what a run takes from a state depends on what differs") {
  Random random(51);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, true), 0.1);
  const Problem other(RandomMultiLabelProblem(random, 6, 4, 3, true), 0.1);
  const TrainOptions options{.learner = LearnerKind::kBcfw};
  const Fingerprint saved = MakeFingerprint(problem, options);
  const auto from = [&](const Problem& now, const TrainOptions& with) {
    return ContinuationFrom(saved, MakeFingerprint(now, with));
  };
  CHECK(from(problem, options) == Continuation::kResume);
  TrainOptions outer = With(options, "--gap-tolerance 1e-7 --max-passes 7");
  CHECK(from(problem, outer) == Continuation::kResume);
  CHECK(from(problem.WithLambda(0.2), outer) == Continuation::kFollow);
  TrainOptions inner = With(options, "--seed 9");
  CHECK(from(problem, inner) == Continuation::kNew);
  CHECK(from(problem.WithLambda(0.2), inner) == Continuation::kNew);
  CHECK(from(other, options) == Continuation::kNew);
  CHECK(from(other.WithLambda(0.2), options) == Continuation::kNew);
  Fingerprint more = MakeFingerprint(problem, options);
  more.emplace_back("names", "a");
  CHECK(ContinuationFrom(saved, more) == Continuation::kNew);
}

TEST_CASE("states that do not fit are refused") {
  Random random(52);
  const Problem problem(RandomMultiLabelProblem(random, 6, 4, 3, true), 0.1);
  const TrainOptions options{.learner = LearnerKind::kBcfw};
  const std::string state = TrainToEnd(problem, options).state;
  const Problem next = problem.WithLambda(0.05);
  CHECK(FollowLambda(next, options, state, 0.1) != nullptr);
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, state.size() - 1})
    CHECK_THROWS_AS(FollowLambda(next, options, std::string_view(state).substr(0, length), 0.1),
                    DataError);
  CHECK_THROWS_AS(FollowLambda(next, options, state + "x", 0.1), DataError);
  TrainOptions other = With(options, "--learner soft");
  CHECK_THROWS_AS(FollowLambda(next, other, state, 0.1), DataError);
  CHECK_THROWS_AS(FollowLambda(next, options, state, 0), std::invalid_argument);
}
