// SPDX-License-Identifier: BSD-3-Clause
//
// The training loop, with learners made for the test.
#include <slackline/core/check.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/train_loop.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/option_text.h"
#include "tests/support/random_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Evaluates to given (primal, dual) pairs, one per check; its only weight is the number of the
/// check.
class ScriptedLearner : public Learner {
 public:
  explicit ScriptedLearner(std::vector<std::pair<double, double>> script)
      : script_(std::move(script)) {}

  void RunPass(const StopControl& stop) override {
    ++passes;
    if (interrupt_at == passes) flag->store(1);
    static_cast<void>(stop);
  }
  Evaluation Evaluate(int threads) override {
    static_cast<void>(threads);
    Evaluation evaluation;
    const auto& [primal, dual] = script_[std::min(checks, script_.size() - 1)];
    evaluated_ = {static_cast<double>(checks)};
    ++checks;
    evaluation.primal = primal;
    evaluation.dual = dual;
    return evaluation;
  }
  WorkCounts work() const override { return {passes, 2 * passes}; }

  std::size_t checks = 0;
  Index passes = 0;
  Index interrupt_at = -1;
  std::atomic<int>* flag = nullptr;

 private:
  std::vector<std::pair<double, double>> script_;
};

TrainOptions EveryPass() { return {.max_passes = 10, .check_every = 1}; }

}  // namespace

TEST_CASE("the saved weights are those of the smallest primal") {
  ScriptedLearner learner({{5, 1}, {3, 0.5}, {4, 2}, {3.5, 1.5}});
  TrainOptions options = With(EveryPass(), "--max-passes 4");
  const TrainSummary summary = RunTraining(learner, options, nullptr, nullptr);
  CHECK(summary.weights == std::vector<double>{1});
  CHECK(summary.last.primal == 3);
  CHECK(summary.last.dual == 2);
  CHECK(summary.last.gap == 1);
  CHECK(summary.termination == Termination::kMaxPasses);
  CHECK(summary.last.oracle_calls == 4);
  CHECK(summary.last.block_steps == 8);
}

TEST_CASE("among equal primals the first is saved") {
  ScriptedLearner learner({{5, 1}, {3, 1}, {3, 2}, {3, 2}});
  TrainOptions options = With(EveryPass(), "--max-passes 4");
  CHECK(RunTraining(learner, options, nullptr, nullptr).weights == std::vector<double>{1});
}

TEST_CASE("the run ends at the first check that meets the tolerance") {
  ScriptedLearner learner({{5, 1}, {4, 3.9999}, {4, 4}});
  const TrainSummary summary = RunTraining(learner, EveryPass(), nullptr, nullptr);
  CHECK(summary.termination == Termination::kConverged);
  CHECK(summary.last.pass == 2);
}

TEST_CASE("an interrupt keeps the best weights") {
  std::atomic<int> flag{0};
  ScriptedLearner learner({{5, 1}, {3, 1}, {4, 1}});
  learner.interrupt_at = 3;
  learner.flag = &flag;
  const TrainSummary summary = RunTraining(learner, EveryPass(), nullptr, &flag);
  CHECK(summary.termination == Termination::kInterrupted);
  CHECK(summary.last.pass == 3);
  CHECK(summary.weights == std::vector<double>{1});
}

TEST_CASE("an interrupt is noticed between checks") {
  std::atomic<int> flag{0};
  ScriptedLearner learner({{5, 1}});
  learner.interrupt_at = 4;
  learner.flag = &flag;
  TrainOptions options = With(EveryPass(), "--check-every 100 --max-passes 1000");
  const TrainSummary summary = RunTraining(learner, options, nullptr, &flag);
  CHECK(summary.last.pass == 4);
  CHECK(summary.termination == Termination::kInterrupted);
}

TEST_CASE("a time limit ends the run with a model") {
  ScriptedLearner learner({{5, 1}});
  const TrainOptions options{.time_limit_seconds = 1e-9};
  const TrainSummary summary = RunTraining(learner, options, nullptr, nullptr);
  CHECK(summary.termination == Termination::kTimeLimit);
  CHECK(summary.last.pass == 1);
  CHECK(summary.weights.size() == 1);
}

TEST_CASE("a time limit includes the time of observers") {
  class SlowObserver : public TrainObserver {
    void OnCheck(const ProgressRecord&) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  };
  ScriptedLearner learner({{5, 1}});
  TrainOptions options = EveryPass();
  options.time_limit_seconds = 0.01;
  SlowObserver observer;
  const TrainSummary summary = RunTraining(learner, options, &observer, nullptr);
  CHECK(summary.termination == Termination::kTimeLimit);
  CHECK(learner.passes == 1);
}

TEST_CASE("checks follow the schedule") {
  ScriptedLearner learner({{5, 1}});
  const TrainOptions options{.max_passes = 24};
  RunTraining(learner, options, nullptr, nullptr);
  // Checks after passes 1 … 10, 12, 14, 16, 19, 22 and the last.
  CHECK(learner.checks == 16);
}

namespace {

/// Estimates its gap: one estimate per pass, the last one for all further passes. The primal at w =
/// 0 is 1000.
class GuessingLearner : public ScriptedLearner, public CheckAdvisor, public ScaleSource {
 public:
  explicit GuessingLearner(std::vector<double> guesses)
      : ScriptedLearner({{500, 1}}), guesses_(std::move(guesses)) {
    traits_.advisor = this;
    traits_.scales = this;
  }

  double GapEstimate() const override {
    const std::size_t made = std::max<Index>(1, passes) - 1;
    return guesses_[std::min(made, guesses_.size() - 1)];
  }
  bool CheckIsCheap() const override { return passes >= cheap_from; }
  ObjectiveScales Scales() const override { return {.primal_at_zero = 1000}; }

  Index cheap_from = 0;

 private:
  std::vector<double> guesses_;
};

/// The passes of a run of `passes` passes after which a check is made.
std::vector<Index> CheckedPasses(GuessingLearner* learner, double tolerance, Index passes) {
  class Observer : public TrainObserver {
   public:
    void OnCheck(const ProgressRecord& record) override { checked.push_back(record.pass); }
    std::vector<Index> checked;
  };
  const TrainOptions options{.gap_tolerance = tolerance, .max_passes = passes};
  Observer observer;
  RunTraining(*learner, options, &observer, nullptr);
  return observer.checked;
}

}  // namespace

TEST_CASE("hopeless gap estimates postpone the first checks") {
  using Passes = std::vector<Index>;
  // Just above and just below a thousandth of the primal at w = 0.
  GuessingLearner hopeless({1.01});
  CHECK(CheckedPasses(&hopeless, 1e-4, 12) == Passes{8, 12});
  GuessingLearner fair({0.99});
  CHECK(CheckedPasses(&fair, 1e-4, 12) == Passes{2, 4, 6, 9, 12});
}

TEST_CASE("an estimate that meets the tolerance is checked at once, and then not for a while") {
  using Passes = std::vector<Index>;
  // The tolerance is 0.0025 of the primal, which is 1000 before the first check and 500 after it.
  GuessingLearner early({9, 9, 2.4, 9});
  CHECK(CheckedPasses(&early, 0.0025, 12) == Passes{3, 8, 12});
  GuessingLearner late({9, 9, 9, 9, 9, 9, 9, 9, 9, 1.2, 1.2, 1.2, 9});
  CHECK(CheckedPasses(&late, 0.0025, 13) == Passes{8, 10, 11, 12, 13});
  GuessingLearner no({9, 9, 9, 9, 9, 9, 9, 9, 9, 1.3, 1.3, 1.3, 9});
  CHECK(CheckedPasses(&no, 0.0025, 13) == Passes{8, 12, 13});
}

TEST_CASE("expensive checks are made less often") {
  GuessingLearner learner({0.5});
  learner.cheap_from = 7;
  CHECK(CheckedPasses(&learner, 1e-4, 12) == std::vector<Index>{7, 10, 12});
}

namespace {

/// So many threads that the cost of a check far exceeds that of a pass, whatever the load of the
/// machine: passes are made beside all checks.
constexpr Index kManyThreads = 1000;

/// A learner that makes passes beside checks; its checks take long enough for one.
class SlowLearner : public ScriptedLearner, public CheckCompanion {
 public:
  explicit SlowLearner(std::vector<std::pair<double, double>> script)
      : ScriptedLearner(std::move(script)) {
    traits_.companion = this;
  }

  bool EvaluatesBesidePasses() const override { return true; }
  Evaluation EvaluateBesidePass(int threads, const StopControl& stop,
                                double* pass_seconds) override {
    return EvaluateThenPass(*this, threads, stop, pass_seconds);
  }
  Evaluation Evaluate(int threads) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    return ScriptedLearner::Evaluate(threads);
  }
  void Archive(StateArchive* archive) override {
    archive->Integer(&passes, 0, 1000);
    if (archive->loading()) ++returns;
  }

  Index returns = 0;
};

}  // namespace

TEST_CASE("a superfluous pass beside a check is undone") {
  const std::vector<std::pair<double, double>> script = {{5, 1}, {4, 2}, {3, 2}, {3, 3}};
  SlowLearner one(script);
  SlowLearner two(script);
  TrainOptions options = EveryPass();
  const TrainSummary alone = RunTraining(one, options, nullptr, nullptr);
  options.threads = kManyThreads;
  const TrainSummary beside = RunTraining(two, options, nullptr, nullptr);
  CHECK(one.returns == 0);
  CHECK(two.returns == 1);
  CHECK(one.passes == 4);
  CHECK(two.passes == 4);
  CHECK(beside.termination == Termination::kConverged);
  CHECK(beside.weights == alone.weights);
  CHECK(beside.last.pass == alone.last.pass);
  CHECK(beside.last.oracle_calls == alone.last.oracle_calls);
  CHECK(beside.last.block_steps == alone.last.block_steps);
}

TEST_CASE("no pass is made beside the last check") {
  SlowLearner learner({{5, 1}, {4, 2}});
  TrainOptions options = EveryPass();
  options.threads = kManyThreads;
  options.max_passes = 3;
  const TrainSummary summary = RunTraining(learner, options, nullptr, nullptr);
  CHECK(summary.termination == Termination::kMaxPasses);
  CHECK(learner.passes == 3);
  CHECK(learner.returns == 0);
}

TEST_CASE("a lower bound above the objective ends the run instead of converging") {
  // Just inside and just outside the tolerance for rounding; also with bounds from different
  // checks.
  const auto run = [](std::vector<std::pair<double, double>> script) {
    ScriptedLearner learner(std::move(script));
    return RunTraining(learner, EveryPass(), nullptr, nullptr);
  };
  const TrainSummary rounded = run({{5, 5 + 4e-9}});
  CHECK(rounded.termination == Termination::kConverged);
  CHECK(rounded.last.gap == 0);
  CHECK_THROWS_WITH_AS(run({{5, 5 + 6e-9}}), doctest::Contains("contradicts itself"),
                       CertificateError);
  CHECK_THROWS_WITH_AS(
      run({{1, 1.92}}),
      doctest::Contains("its lower bound on the optimum, 1.92, lies above its upper bound, 1."),
      CertificateError);
  CHECK_THROWS_WITH_AS(run({{5, 3}, {2.5, 1}}), doctest::Contains("please report it"),
                       CertificateError);
  CHECK_THROWS_AS(run({{5, std::numeric_limits<double>::infinity()}}), CertificateError);
}

TEST_CASE("an optimum of 0 may be computed as a negative number") {
  struct ZeroLearner : ScriptedLearner, ScaleSource {
    explicit ZeroLearner(double primal) : ScriptedLearner({{primal, 0}}) { traits_.scales = this; }
    ObjectiveScales Scales() const override { return {.primal_at_zero = 0, .score_scale = 10}; }
  };
  // Just inside and just outside the square of 1e-14 times the scale.
  ZeroLearner rounded(-9e-27);
  CHECK(RunTraining(rounded, EveryPass(), nullptr, nullptr).termination == Termination::kConverged);
  ZeroLearner wrong(-1.1e-26);
  CHECK_THROWS_AS(RunTraining(wrong, EveryPass(), nullptr, nullptr), CertificateError);
}

TEST_CASE("Train uses the lambda of the options") {
  Random random(8);
  const Problem problem(RandomProblem(random, ProblemOptions()), 0.3);
  TrainOptions options{.gap_tolerance = 1e-6};
  const TrainSummary own = Train(problem, options);
  options.lambda = 0.3;
  CHECK(Train(problem, options).weights == own.weights);
  options.lambda = 0.02;
  const TrainSummary other = Train(problem, options);
  TrainOptions open = options;
  open.lambda = 0;
  CHECK(other.weights == Train(problem.WithLambda(0.02), open).weights);
  CHECK(other.last.primal < own.last.primal);
  // A learner belongs to its problem: the λ of the options must be that of the problem.
  CHECK_THROWS_AS(MakeLearner(problem, options), std::invalid_argument);
  CHECK_NOTHROW(MakeLearner(problem.WithLambda(0.02), options));
}
