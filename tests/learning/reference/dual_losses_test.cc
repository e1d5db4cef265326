// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/learning/reference/reference_learners.h>
#include <slackline/learning/train_loop.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions For(LearnerKind learner, Index passes) {
  TrainOptions options = Options(learner, StepKind::kAuto, 0);
  options.absolute_gap = 0;
  options.max_passes = passes;
  options.check_every = 10;
  return options;
}

}  // namespace

TEST_CASE("both learners bracket the relaxed optimum, and come near to it") {
  Random random(321);
  for (int trial = 0; trial < 16; ++trial) {
    const double lambda = trial % 2 == 0 ? 0.1 : 0.5;
    const Problem problem(SomeProblem(random, trial), lambda);
    const double optimum = RelaxedOptimum(problem.training(), lambda);
    CAPTURE(trial);
    CAPTURE(optimum);
    const double unit = std::max(0.1, optimum);
    TrainOptions options = For(LearnerKind::kDlpw, 2000);
    options.check_every = 50;
    options.own<DualLossOptions>().step_size = 1 / lambda;
    const Run hard = TrainOn(problem, options, optimum);
    CHECK(hard.sound);
    CHECK(hard.summary.last.primal <= optimum + 0.06 * unit);
    CHECK(hard.summary.last.dual >= optimum - 0.15 * unit);
    // With smoothing the dual point is better, and the primal is biased.
    options.learner = LearnerKind::kSmoothDlpw;
    options.smoothing = 0.003;
    const Run smooth = TrainOn(problem, options, optimum);
    CHECK(smooth.sound);
    CHECK(smooth.summary.last.primal <= optimum + 0.12 * unit);
    CHECK(smooth.summary.last.dual >= optimum - 0.06 * unit);
    // The reported primal bounds the relaxed primal at the saved weights.
    CHECK(hard.summary.last.primal >=
          RelaxedPrimal(problem.training(), lambda, hard.summary.weights) - kSolver);
  }
}

TEST_CASE("a note reports the step size found, and a given one is used") {
  Random random(322);
  const Problem problem(RandomMultiLabelProblem(random, 20, 4, 3, true), 0.1);
  TrainOptions options = For(LearnerKind::kDlpw, 20);
  const TrainSummary found = Train(problem, options);
  REQUIRE(found.notes.size() == 1);
  CHECK(found.notes[0].find("the best of 5 in 20 passes over 20 examples") != std::string::npos);
  const std::size_t begin = found.notes[0].find("η = ") + std::string("η = ").size();
  options.own<DualLossOptions>().step_size = std::stod(found.notes[0].substr(begin));
  const TrainSummary given = Train(problem, options);
  CHECK(given.notes.empty());
  CHECK(given.weights == found.weights);
  options.own<DualLossOptions>().step_size *= 2;
  CHECK(Train(problem, options).weights != found.weights);
}

TEST_CASE("the upper bound holds where messages are far larger than the weights") {
  Random random(329);
  for (int trial = 0; trial < 60; ++trial) {
    ProblemOptions shape;
    shape.num_examples = 1 + trial % 3;
    shape.max_states = 2 + trial % 2;
    shape.num_factors = 6;
    shape.input_scale = trial % 2 == 0 ? 1e3 : 1e6;
    shape.whole_inputs = true;
    const Problem problem(RandomProblem(random, shape), 0.01);
    TrainOptions options = For(LearnerKind::kDlpw, 40);
    options.order = OrderKind::kUniform;
    options.own<DualLossOptions>().step_size = 1e4;
    options.check_every = 1;
    const TrainSummary summary = Train(problem, options);
    CAPTURE(trial);
    const double exact = ExactPrimal(problem.training(), 0.01, summary.weights);
    double scores = 0;
    for (const double w : summary.weights) scores += std::abs(w) * shape.input_scale;
    CHECK(summary.last.primal >= exact - kTight - 10 * kSummands * scores);
  }
}
