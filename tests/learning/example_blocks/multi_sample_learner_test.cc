// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/multi_sample_learner.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/learning/verify/verify.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/learner_checks.h"
#include "tests/support/multiclass_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions SampleOptions(Index samples, bool revisit, double gap = 1e-2) {
  TrainOptions options = Options(LearnerKind::kMultiSample, StepKind::kAuto, gap);
  options.oracle = SolverKind::kBruteForce;
  options.own<MultiSampleOptions>().samples = samples;
  options.own<MultiSampleOptions>().revisit = revisit;
  return options;
}

/// A sampler that always returns the same labellings.
class FixedSampler : public LabellingSampler {
 public:
  explicit FixedSampler(int* calls) : calls_(calls) {}
  void Sample(Index, const ExampleView& example, std::span<const double> scores, Index count,
              Random*, std::vector<Labelling>* labellings) override {
    ++*calls_;
    CHECK(static_cast<Offset>(scores.size()) == example.graph().total_states());
    for (Index k = 0; k < count; ++k)
      labellings->push_back(Labelling(example.graph().num_variables(), k % 2));
  }

 private:
  int* calls_;
};

}  // namespace

TEST_CASE("revisits reach the optimum with a dual that never falls") {
  Random random(1);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.3);
    const double optimum = ExactOptimum(problem.training(), 0.3);
    for (const Index samples : {1, 5}) {
      const Run run = TrainOn(problem, SampleOptions(samples, true, 1e-3), optimum);
      CAPTURE(trial);
      CAPTURE(samples);
      CAPTURE(run.summary.message);
      CHECK(run.sound);
      CHECK(run.summary.termination == Termination::kConverged);
      CHECK(run.summary.last.problem == CertifiedProblem::kExact);
    }
    CheckDualNeverFalls(problem, SampleOptions(4, true), 70, 1e-10);
  }
}

TEST_CASE("online runs bracket the optimum, and the gap shrinks") {
  Random random(2);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.3);
    const double optimum = ExactOptimum(problem.training(), 0.3);
    for (const Index samples : {1, 4}) {
      TrainOptions options = SampleOptions(samples, false, 0.05);
      options.max_passes = 1500;
      options.average = AverageKind::kWeighted;
      options.order = trial % 2 == 0 ? OrderKind::kExample : OrderKind::kUniform;
      const Run run = TrainOn(problem, options, optimum);
      CAPTURE(trial);
      CAPTURE(run.summary.message);
      CHECK(run.sound);
      if (options.order == OrderKind::kExample) {
        CHECK(run.summary.termination == Termination::kConverged);
      }
    }
  }
}

TEST_CASE("regret stays below the bound of the lemma") {
  Random random(3);
  for (int trial = 0; trial < 6; ++trial) {
    const double lambda = trial % 2 == 0 ? 0.05 : 0.5;
    const Problem problem(RandomMultiLabelProblem(random, 12, 3, 3, true), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    for (const Index samples : {1, 3, 8}) {
      const auto learner = MakeLearner(problem, SampleOptions(samples, false));
      const StopControl stop(nullptr, 0);
      double first = 0;
      double last = 0;
      for (int pass = 0; pass < 40; ++pass) {
        learner->RunPass(stop);
        const OnlineFigures figures = FiguresOf(*learner);
        const double dual = learner->Evaluate(1).dual;
        CHECK(figures.steps == 12 * (pass + 1));
        // Summed over whole passes, min F_T/T is the optimum. Summed, Lemma 2.2 holds even against
        // the dual.
        CHECK(figures.mean_objective - optimum <= figures.bound + 1e-9);
        CHECK(figures.mean_objective - dual <= figures.bound + 1e-9);
        (pass == 0 ? first : last) = figures.mean_objective - optimum;
      }
      CHECK(last < 0.3 * first);
    }
  }
}

TEST_CASE("weights stay in the ball of the projection") {
  Random random(4);
  const double lambda = 0.001;
  const Problem problem(RandomMultiLabelProblem(random, 6, 3, 3, true),
                        lambda);  // the mean loss is at most 1
  const auto learner = MakeLearner(problem, SampleOptions(3, false));
  const StopControl stop(nullptr, 0);
  for (int pass = 0; pass < 20; ++pass) {
    learner->RunPass(stop);
    learner->Evaluate(1);
    const auto w = learner->weights();
    CHECK(std::inner_product(w.begin(), w.end(), w.begin(), 0.0) <= 1 / lambda * (1 + 1e-12));
  }
}

TEST_CASE("multiclass problems use the exact update") {
  Random random(5);
  const MulticlassProblem multiclass = RandomMulticlassProblem(random, 10, 4, 3);
  const double lambda = 0.1;
  const Problem problem(multiclass.training, lambda);
  const double optimum = ExactOptimum(problem.training(), lambda);
  const StopControl stop(nullptr, 0);
  double gap[2] = {0, 0};
  for (const Index samples : {1, 4}) {
    const auto learner = MakeLearner(problem, SampleOptions(samples, false));
    for (int pass = 0; pass < 30; ++pass) learner->RunPass(stop);
    const Evaluation evaluation = learner->Evaluate(1);
    CHECK(evaluation.dual <= optimum + kSolver);
    CHECK(evaluation.primal >= optimum - kSolver);
    gap[samples == 1 ? 0 : 1] = evaluation.primal - evaluation.dual;
  }
  CHECK(gap[1] < gap[0]);  // all classes in one update are better than the worst class alone
}

TEST_CASE("users can supply a sampler") {
  Random random(6);
  const Problem problem(RandomMultiLabelProblem(random, 5, 3, 2, true), 0.2);
  const TrainOptions options = SampleOptions(6, true, 1e-3);
  int calls = 0;
  const auto learner =
      MakeMultiSampleLearner(problem, options, std::make_unique<FixedSampler>(&calls));
  const TrainSummary summary = RunTraining(problem, *learner, options, nullptr, nullptr);
  CHECK(calls == summary.last.oracle_calls);
  CHECK(summary.termination == Termination::kConverged);
  CHECK(Near(summary.last.primal, ExactOptimum(problem.training(), 0.2), 2e-3));
}

TEST_CASE("runs resume bit for bit, with any number of threads") {
  Random random(7);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(SomeProblem(random, trial), trial % 2 == 0 ? 0.1 : 1e-3);
    TrainOptions options = SampleOptions(4, trial % 2 == 1);
    options.average = AverageKind::kSuffix;
    CheckTakeOver(problem, options, {66, 4, [](Learner& learner) {
                                       learner.traits().listener->Adapt(learner.Evaluate(1));
                                     }});
  }
}

TEST_CASE("paths over lambda start from the mean point") {
  Random random(8);
  for (const bool revisit : {false, true}) {
    const Problem first(RandomMultiLabelProblem(random, 8, 3, 3, true), 1.0);
    const double optimum = ExactOptimum(first.training(), 0.1);
    const Problem second = first.WithLambda(0.1);
    CHECK(CheckPath(first, second, SampleOptions(4, revisit), optimum, 30, 200, 0.1).dual > 0);
  }
}

TEST_CASE("certificates are verified from the dual point") {
  Random random(9);
  for (const bool revisit : {false, true}) {
    const Problem problem(RandomMultiLabelProblem(random, 8, 3, 3, true), 0.2);
    const VerifiedRun run = CheckVerifies(problem, SampleOptions(4, revisit, 1e-2), 100);
    CHECK((run.verification.dual_proved || !revisit));
  }
}

TEST_CASE("notes report the regret") {
  Random random(10);
  const Problem problem(RandomMultiLabelProblem(random, 5, 3, 2, true), 0.1);
  TrainOptions options = SampleOptions(2, false, 0);
  options.max_passes = 30;
  const TrainSummary online = Train(problem, options);
  REQUIRE(online.notes.size() >= 2);
  REQUIRE(online.notes.size() <= 5);
  CHECK(online.notes[0].find("average regret between") != std::string::npos);
  CHECK(online.notes[0].find("bound") != std::string::npos);
  options.own<MultiSampleOptions>().revisit = true;
  CHECK(Train(problem, options).notes.empty());
  CHECK_THROWS_AS(
      FiguresOf(*MakeLearner(problem, Options(LearnerKind::kBcfw, StepKind::kFrankWolfe, 1e-3))),
      std::invalid_argument);
}

TEST_CASE("figures on unpleasant problems are finite") {
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    const ProblemOptions shape = RandomHardOptions(random);
    for (const double lambda : {1e-9, 1e9}) {
      const Problem problem(RandomProblem(random, shape), lambda);
      TrainOptions options = SampleOptions(3, trial % 2 == 0);
      options.max_passes = 5;
      CheckNumbers(Train(problem, options));
    }
  }
}
