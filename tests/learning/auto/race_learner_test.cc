// SPDX-License-Identifier: BSD-3-Clause
//
// A race of example blocks, planes and factor blocks in one run: which of them makes the passes,
// and that states, paths and certificates are those of one run.
#include <slackline/learning/auto/race_learner.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/default_lambda.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "bench/drawn/drawn_labels.h"
#include "bench/drawn/pictures_problem.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Five weights shared by similar examples.
Problem FewWeights(double lambda) {
  return Problem(MakePicturesProblem({.examples = 12, .side = 10}), lambda);
}

/// Many labels with sparse inputs, of which nearly half are on: oracle calls are expensive.
Problem ManyLabels(double times_default) {
  SyntheticLabelsOptions options{
      .examples = 40, .labels = 40, .features = 600, .stored = 60, .label_noise = 0.2};
  const Problem unknown(MakeFullGraphProblem(MakeSyntheticLabels(options), 1));
  return unknown.WithLambda(ScalesOf(unknown, {}).DefaultLambda() * times_default);
}

TrainOptions RaceOptions(Switch planes, double gap) {
  TrainOptions options{
      .learner = LearnerKind::kBcfw, .step = StepKind::kPairwise, .order = OrderKind::kGap};
  options.own<BcfwOptions>().planes = planes;
  options.gap_tolerance = gap;
  Set(&options, "--check-every 1 --max-passes 3000");
  return options;
}

/// The learner's state after the given number of passes, with a check after each.
std::string StateAfter(Learner* learner, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    learner->RunPass(kNever);
    learner->Evaluate(1);
  }
  return StateOf(*learner);
}

/// Checks that runs resumed from a state after every `step`-th pass end in the state of the whole
/// run. Returns the number of states that contain `tag`.
int CheckStates(const Problem& problem, int passes, int step, const std::string& tag) {
  const TrainOptions options = RaceOptions(Switch::kOn, 1e-6);
  const auto whole = MakeLearner(problem, options);
  const std::string end = StateAfter(whole.get(), passes);
  const std::int64_t calls = whole->work().oracle_calls;
  int tagged = 0;
  for (int stop = 1; stop < passes; stop += step) {
    const auto first = MakeLearner(problem, options);
    const std::string state = StateAfter(first.get(), stop);
    const auto second = MakeLearner(problem, options);
    LoadAll(state, *second);
    INFO("stopped after " << stop);
    CHECK((StateAfter(second.get(), passes - stop) == end));
    CHECK(second->work().oracle_calls == calls);
    tagged += state.find(tag) != std::string::npos;
  }
  return tagged;
}

}  // namespace

TEST_CASE("planes take over where all examples share few weights") {
  const Problem problem = FewWeights(0.003);
  const TrainSummary blocks = Train(problem, RaceOptions(Switch::kOff, 1e-4));
  const TrainSummary race = Train(problem, RaceOptions(Switch::kOn, 1e-4));
  REQUIRE(race.termination == Termination::kConverged);
  CHECK(race.last.relative_gap <= 1e-4);
  CHECK(2 * race.last.pass < blocks.last.pass);
  // The optimum lies between the bounds of both runs.
  CHECK(race.last.dual <= blocks.last.primal);
  CHECK(blocks.last.dual <= race.last.primal);
  CHECK(race.last.primal == doctest::Approx(blocks.last.primal).epsilon(1e-3));
}

TEST_CASE("factor blocks take over where oracle calls are expensive") {
  const Problem problem = ManyLabels(0.1);
  const TrainSummary blocks = Train(problem, RaceOptions(Switch::kOff, 1e-2));
  TrainOptions options = RaceOptions(Switch::kOn, 1e-2);
  const VerifiedRun run = TrainVerified(problem, options);
  CHECK(run.verification.dual_proved);
  const Learner& learner = *run.learner;
  const TrainSummary& race = run.summary;
  REQUIRE(race.termination == Termination::kConverged);
  CHECK(race.last.relative_gap <= 1e-2);
  CHECK(race.last.problem == CertifiedProblem::kRelaxed);
  // After the first passes the oracle is not called any more.
  CHECK(4 * learner.work().oracle_calls < blocks.last.oracle_calls);
  CHECK(race.last.dual <= blocks.last.primal);
  CHECK(blocks.last.dual <= race.last.primal);
  // The penalty of the factor blocks is not reported.
  CHECK(std::isnan(race.last.soft_dual));
  CHECK(std::isnan(race.last.rho));
  CHECK(race.notes.empty());

  CHECK(learner.traits().dual_point->DualPointIsBest());
  CHECK_FALSE(learner.traits().dual_point->PrimalIsObjective());
}

TEST_CASE("a race with factor blocks does not depend on the number of threads") {
  const Problem problem = ManyLabels(0.1);
  TrainOptions options = With(RaceOptions(Switch::kOn, 1e-2), "--check-every 0 --threads 1");
  const TrainSummary one = Train(problem, options);
  options.threads = 3;
  CheckSame(one, Train(problem, options));
}

TEST_CASE("keeping dual points does not change a race with factor blocks") {
  const Problem problem = ManyLabels(0.1);
  const TrainOptions options = RaceOptions(Switch::kOn, 1e-6);
  const auto plain = MakeLearner(problem, options);
  const auto keeps = MakeLearner(problem, options);
  keeps->traits().dual_point->KeepDualPoint();
  StateAfter(plain.get(), 60);
  StateAfter(keeps.get(), 60);
  CHECK(std::ranges::equal(plain->weights(), keeps->weights()));
  CHECK(plain->work().entries == keeps->work().entries);
}

TEST_CASE("a race with factor blocks resumes from every state, bit for bit") {
  const int with_factors = CheckStates(ManyLabels(0.1), 60, 3, "factor blocks");
  CHECK(with_factors > 5);
  CHECK(with_factors < 20);
}

TEST_CASE("a path over lambda continues with factor blocks") {
  const Problem first = ManyLabels(0.2);
  const Problem second = first.WithLambda(0.5 * first.lambda());
  const TrainOptions options = RaceOptions(Switch::kOn, 1e-2);
  const auto learner = MakeLearner(first, options);
  REQUIRE(RunTraining(first, *learner, options, nullptr, nullptr).termination ==
          Termination::kConverged);
  const std::int64_t before = learner->work().entries;
  learner->traits().lambda->ChangeLambda(second);
  CHECK(learner->work().entries >= before);
  const TrainSummary warm = RunTraining(second, *learner, options, nullptr, nullptr);
  REQUIRE(warm.termination == Termination::kConverged);
  // Example blocks are tried again, but not for long.
  CHECK(learner->work().oracle_calls <= 3 * second.size());
  const TrainSummary fresh = Train(second, options);
  CHECK(warm.last.dual <= fresh.last.primal);
  CHECK(fresh.last.dual <= warm.last.primal);
}

TEST_CASE("factor blocks do not race where an oracle is given") {
  TrainOptions options = With(RaceOptions(Switch::kOn, 1e-2), "--oracle roof --max-passes 60");
  const Problem problem = ManyLabels(0.1);
  const auto learner = MakeLearner(problem, options);
  RunTraining(problem, *learner, options, nullptr, nullptr);
  CHECK(StateOf(*learner).find("factor blocks") == std::string::npos);
}

TEST_CASE("a race in which the example blocks win equals their run, bit for bit") {
  const Problem unknown(MakeFullGraphProblem(MakeSyntheticLabels({}), 1));
  const Problem problem = unknown.WithLambda(ScalesOf(unknown, {}).DefaultLambda());
  const TrainSummary blocks = Train(problem, RaceOptions(Switch::kOff, 1e-3));
  const TrainSummary race = Train(problem, RaceOptions(Switch::kOn, 1e-3));
  CHECK(race.last.pass == blocks.last.pass);
  CHECK(race.weights == blocks.weights);
  CHECK(race.last.dual == blocks.last.dual);
}

TEST_CASE("a race resumes from every state, bit for bit") {
  const int with_planes = CheckStates(FewWeights(0.003), 24, 1, "joint planes");
  // Both states before the trial and states after it occur.
  CHECK(with_planes > 5);
  CHECK(with_planes < 22);
}

TEST_CASE("a path over lambda continues with the faster method") {
  const Problem first = FewWeights(0.03);
  const Problem second = first.WithLambda(0.003);
  const TrainOptions options = RaceOptions(Switch::kOn, 1e-4);
  const auto learner = MakeLearner(first, options);
  const TrainSummary at_first = RunTraining(first, *learner, options, nullptr, nullptr);
  learner->traits().lambda->ChangeLambda(second);
  const TrainSummary at_second = RunTraining(second, *learner, options, nullptr, nullptr);
  CHECK(at_first.termination == Termination::kConverged);
  REQUIRE(at_second.termination == Termination::kConverged);
  const TrainSummary fresh = Train(second, options);
  CHECK(at_second.last.primal == doctest::Approx(fresh.last.primal).epsilon(2e-4));
  CHECK(at_second.last.pass <= fresh.last.pass + 5);
}

TEST_CASE("the dual point of a race belongs to the larger lower bound") {
  const Problem problem = FewWeights(0.003);
  TrainOptions options = RaceOptions(Switch::kOn, 1e-4);
  const auto learner = MakeLearner(problem, options);
  learner->traits().dual_point->KeepDualPoint();
  const TrainSummary summary = RunTraining(problem, *learner, options, nullptr, nullptr);
  CHECK(learner->traits().dual_point->DualPointIsBest());
  CHECK(ValueOfDualPoint(problem, *learner) == doctest::Approx(summary.last.dual).epsilon(1e-9));
}
