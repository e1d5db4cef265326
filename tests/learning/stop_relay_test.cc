// SPDX-License-Identifier: BSD-3-Clause
//
// Runs that must end during a check.
#include <slackline/learning/stop_relay.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/learning/kernels/kernel_expansion.h>

#include "tests/support/learner_checks.h"
#include "tests/support/losses.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Wishes the end of the run from the first check on.
class StopsAfterPass final : public TrainObserver {
 public:
  explicit StopsAfterPass(Index passes) : passes_(passes) {}
  void OnCheck(const ProgressRecord& /*record*/) override {}
  void OnPass(Index pass) override {
    if (pass >= passes_) interrupt = 1;
  }
  std::atomic<int> interrupt{0};

 private:
  Index passes_;
};

}  // namespace

TEST_CASE("a first check that is cut short has a valid bound at the newest weights") {
  Random random(17);
  int rough = 0;
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    const Problem problem(RandomProblem(random, {.num_variables = 3, .forest = trial % 2 == 0}),
                          0.05);
    for (const LearnerKind kind :
         {LearnerKind::kBcfw, LearnerKind::kFrankWolfe, LearnerKind::kProxSdca}) {
      CAPTURE(std::string(Name(kind)));
      TrainOptions options{.learner = kind, .gap_tolerance = 0, .max_passes = 50};
      StopsAfterPass observer(1 + trial % 3);
      StopRelay relay(0.0);
      options.stop = &relay;
      const TrainSummary summary =
          TrainVerified(problem, options, &observer, &observer.interrupt).summary;
      CHECK(summary.termination == Termination::kInterrupted);
      const double primal = ExactPrimal(problem.training(), problem.lambda(), summary.weights);
      CHECK(summary.last.primal >= primal * (1 - kTight) - kTight);
      CHECK(summary.last.dual <= summary.last.primal);
      const bool told = std::any_of(
          summary.notes.begin(), summary.notes.end(),
          [](const std::string& note) { return note.find("rough upper bound") != note.npos; });
      CHECK(told == summary.last.rough);
      rough += told ? 1 : 0;
      if (told) {
        CHECK(std::any_of(summary.weights.begin(), summary.weights.end(),
                          [](double weight) { return weight != 0; }));
      }
    }
  }
  CHECK(rough > 20);
}

TEST_CASE("a check that is cut short has a valid bound with products of losses and with counts") {
  Random random(20);
  int rough = 0;
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    const bool counts = trial % 2 == 0;
    TrainingSet training =
        RandomProblem(random, {.num_variables = 4, .max_states = counts ? 2 : 3, .forest = counts});
    if (counts) training = MakeTrainingSet(training.data, LossWith(LossForm::kF1));
    const Problem problem(std::move(training), 0.05);
    TrainOptions options{.learner = trial % 4 < 2 ? LearnerKind::kBcfw : LearnerKind::kFrankWolfe,
                         .rescaling = counts ? Rescaling::kMargin : Rescaling::kSlack,
                         .gap_tolerance = 0,
                         .max_passes = 50};
    StopsAfterPass observer(1 + trial % 3);
    StopRelay relay(0.0);
    options.stop = &relay;
    options.check_every = 50;  // none but the one that is cut short
    const TrainSummary summary =
        TrainVerified(problem, options, &observer, &observer.interrupt).summary;
    if (!counts) {
      CHECK(summary.last.primal >=
            SlackRescaledPrimal(problem.training(), problem.lambda(), summary.weights) - kTight);
    }
    rough += summary.last.rough ? 1 : 0;
  }
  CHECK(rough > 10);
}

TEST_CASE("a preparation that must end leaves the certificate of zero weights") {
  Random random(18);
  const std::atomic<int> interrupt{1};
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(RandomProblem(random, {.forest = trial % 2 == 0}), 0.05);
    for (const LearnerKind kind :
         {LearnerKind::kBcfw, LearnerKind::kFrankWolfe, LearnerKind::kAugmentedLagrangian,
          LearnerKind::kCuttingPlane1, LearnerKind::kDlpw, LearnerKind::kPdhg}) {
      CAPTURE(std::string(Name(kind)));
      TrainOptions options{.learner = kind};
      StopRelay relay(0, &interrupt);
      options.stop = &relay;
      const auto learner = MakeLearner(problem, options);
      CHECK(relay.preparation_ended());
      const TrainSummary summary = RunTraining(problem, *learner, options, nullptr, &interrupt);
      CHECK(summary.termination == Termination::kInterrupted);
      CHECK(summary.last.dual == 0);
      CHECK(Near(summary.last.primal, PrimalAtZeroWeights(problem), kTight));
      CHECK(std::all_of(summary.weights.begin(), summary.weights.end(),
                        [](double weight) { return weight == 0; }));
      REQUIRE(summary.notes.size() == 1);
      CHECK(summary.notes[0].find("being prepared") != std::string::npos);
      CHECK(VerifyCertificate(problem, summary.weights, summary.last, options,
                              learner->traits().dual_point)
                .outcome == VerifyOutcome::kHolds);
    }
  }
  // Where another run needs the learner, it is prepared to its end.
  const Problem problem(RandomProblem(random, ProblemOptions()), 0.05);
  TrainOptions options;
  StopRelay relay;
  options.stop = &relay;
  CHECK(MakeLearner(problem, options)->work().oracle_calls == 0);
  CHECK_FALSE(relay.preparation_ended());
}

TEST_CASE("runs with kernels that must end have the certificate of zero weights") {
  Random random(19);
  const Problem problem(RandomProblem(random, ProblemOptions()), 0.05);
  const auto size = static_cast<std::size_t>(KernelExpansion(problem.data()).size());
  for (const LearnerKind kind :
       {LearnerKind::kBcfw, LearnerKind::kKernelBcfw, LearnerKind::kKernelFrankWolfe}) {
    CAPTURE(std::string(Name(kind)));
    TrainOptions options{
        .learner = kind, .kernel = KernelKind::kRbf, .gap_tolerance = 0, .max_passes = 50};
    // During the preparation.
    const std::atomic<int> interrupt{1};
    StopRelay at_once(0, &interrupt);
    options.stop = &at_once;
    auto learner = MakeLearner(problem, options);
    CHECK(at_once.preparation_ended());
    TrainSummary summary = RunTraining(problem, *learner, options, nullptr, &interrupt);
    CHECK(summary.last.dual == 0);
    CHECK(Near(summary.last.primal, PrimalAtZeroWeights(problem), kTight));
    CHECK(summary.weights == std::vector<double>(size, 0.0));
    if (kind == LearnerKind::kBcfw) continue;
    // During the first check, before all kernel values are computed.
    options.check_every = 50;
    StopsAfterPass observer(2);
    StopRelay relay(0.0);
    options.stop = &relay;
    learner = MakeLearner(problem, options);
    summary = RunTraining(problem, *learner, options, &observer, &observer.interrupt);
    CHECK(summary.termination == Termination::kInterrupted);
    CHECK(summary.last.rough);
    CHECK(summary.last.dual == 0);
    CHECK(summary.last.primal >= PrimalAtZeroWeights(problem) - kTight);
    CHECK(summary.weights == std::vector<double>(size, 0.0));
  }
}
