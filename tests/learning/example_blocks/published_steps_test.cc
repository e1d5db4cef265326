// SPDX-License-Identifier: BSD-3-Clause
//
// Learners against the algorithms that they implement, or that they must equal, written out here
// with dense vectors: iterate by iterate, with averages, in every order of the examples.
#include <slackline/learning/bcfw.h>
#include <slackline/learning/example_blocks/point_blocks.h>
#include <slackline/learning/oracle/inexact_options.h>
#include <slackline/learning/step/sampling.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/learner_checks.h"
#include "tests/support/plain_bcfw.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions Newest(LearnerKind learner, OrderKind order = OrderKind::kAuto) {
  const bool bcfw = learner == LearnerKind::kBcfw;
  TrainOptions options =
      Options(learner, bcfw ? StepKind::kFrankWolfe : StepKind::kAuto, /*tolerance=*/0);
  Set(&options, "--absolute-gap 0 --oracle brute-force");
  options.order = order;
  options.keep_newest = true;
  return options;
}

/// The examples of the next pass.
std::vector<Index> NextVisits(ExampleVisits* visits) {
  std::vector<Index> order;
  visits->Pass(kNever, [&](Index m) { order.push_back(m); });
  return order;
}

/// The first iterate of a suffix average after `steps` steps. A restart at k is followed by one at
/// the smallest larger integer that is at least k / μ.
std::size_t SuffixStart(std::size_t steps, double share) {
  std::size_t start = 1;
  for (;;) {
    const auto wanted =
        static_cast<std::size_t>(std::ceil(static_cast<double>(start) / (1 - share)));
    const std::size_t next = std::max(start + 1, wanted);
    if (next > steps) return start;
    start = next;
  }
}

PlainIterate Expected(const PlainBcfw& plain, const TrainOptions& options) {
  const std::size_t steps = plain.iterates.size();
  switch (options.average) {
    case AverageKind::kUniform:
      return AverageOf(plain.iterates, 1, false);
    case AverageKind::kWeighted:
      return AverageOf(plain.iterates, 1, true);
    case AverageKind::kSuffix:
      return AverageOf(plain.iterates, SuffixStart(steps, options.suffix_share), false);
    default:
      return plain.newest();
  }
}

void CheckAgainstPlain(const Problem& problem, const TrainOptions& options, int passes) {
  PlainBcfw plain(problem, options.fixed_step,
                  {.quality = options.own<InexactOptions>().step_quality});
  ExampleVisits visits(options, problem.data());
  const auto learner = MakeLearner(problem, options);
  for (int pass = 1; pass <= passes; ++pass) {
    for (const Index m : NextVisits(&visits)) plain.Step(m);
    learner->RunPass(kNever);
    const Evaluation evaluation = learner->Evaluate(1);
    CAPTURE(pass);
    CAPTURE(Name(options.order));
    CAPTURE(Name(options.average));
    const PlainIterate expected = Expected(plain, options);
    CheckNear(expected.w, learner->weights());
    CHECK(Near(evaluation.dual, plain.newest().Dual(problem.lambda()), kTight));
    CHECK(Near(evaluation.primal, ExactPrimal(problem.training(), problem.lambda(), expected.w),
               kSolver));
  }
}

}  // namespace

TEST_CASE("bcfw and its averages are Algorithm 4, one step a draw, in every order") {
  Random random(611);
  const TrainingSet training = RandomMultiLabelProblem(random, 9, 4, 3, true);
  for (const double lambda : {1.0, 0.01}) {
    const Problem problem(training, lambda);
    for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform, OrderKind::kCyclic}) {
      for (const bool fixed : {false, true}) {
        TrainOptions options = Newest(LearnerKind::kBcfw, order);
        options.fixed_step = fixed;
        if (fixed) {
          // Steps 2n/(νk + 2n), for oracles of quality ν.
          options.own<InexactOptions>().step_quality = 0.3;
          CheckAgainstPlain(problem, options, 8);
          options.own<InexactOptions>().step_quality = 1;
        }
        CheckAgainstPlain(problem, options, 8);
        for (const AverageKind average : {AverageKind::kUniform, AverageKind::kWeighted}) {
          options.average = average;
          CheckAgainstPlain(problem, options, 8);
        }
        options.average = AverageKind::kSuffix;
        for (const double share : {0.5, 0.25, 0.9, 0.001}) {
          options.suffix_share = share;
          CheckAgainstPlain(problem, options, 8);
        }
      }
    }
  }
}

TEST_CASE("just before a restart a suffix average is that of equation 15") {
  // x̄_μ of K steps is the mean of x_t over ⌈μK⌉ ≤ t ≤ K. Powers of two: μ = 1/2 and K = 2^j − 1.
  for (std::size_t power = 2; power <= 4096; power *= 2) {
    const std::size_t steps = power - 1;
    CHECK(SuffixStart(steps, 0.5) == (steps + 1) / 2);
    CHECK(SuffixStart(power, 0.5) == power);
  }
  // Other shares, up to rounding up.
  for (const double share : {0.25, 0.75}) {
    std::size_t restarts = 0;
    for (std::size_t steps = 100; steps < 20000; ++steps) {
      if (SuffixStart(steps + 1, share) != steps + 1) continue;
      ++restarts;
      const double mu_k = (1 - share) * static_cast<double>(steps);
      CHECK(std::abs(static_cast<double>(SuffixStart(steps, share)) - mu_k) <= 1);
    }
    CHECK(restarts >= 3);
  }
}

TEST_CASE("the newest weights are kept even where w = 0 is better") {
  Random random(612);
  const Problem problem(RandomMultiLabelProblem(random, 9, 4, 3, true), 1e-4);
  for (const AverageKind average :
       {AverageKind::kOff, AverageKind::kWeighted, AverageKind::kSuffix}) {
    TrainOptions options = Newest(LearnerKind::kSubgradient, OrderKind::kUniform);
    options.average = average;
    Set(&options, "--max-passes 3 --check-every 1");
    const TrainSummary newest = Train(problem, options);
    CHECK(newest.last.primal > PrimalAtZeroWeights(problem));
    CHECK(newest.last.check_primal == newest.last.primal);
    CHECK(Near(newest.last.primal, ExactPrimal(problem.training(), 1e-4, newest.weights), kSolver));
    CHECK(newest.last.gap == newest.last.primal - newest.last.dual);
    const auto learner = MakeLearner(problem, options);
    for (int pass = 0; pass < 3; ++pass) learner->RunPass(kNever);
    learner->Evaluate(1);
    CHECK(std::ranges::equal(newest.weights, learner->weights()));
    options.keep_newest = false;
    const TrainSummary best = Train(problem, options);
    CHECK(best.last.primal == PrimalAtZeroWeights(problem));
    CHECK(best.last.check_primal > best.last.primal);
    CHECK(std::all_of(best.weights.begin(), best.weights.end(), [](double w) { return w == 0; }));
  }
}

TEST_CASE("batch Frank-Wolfe makes subgradient steps of length γ/λ") {
  // Section 4 of the paper: w ← w − β (λw − (1/n) Σ ψ_i(y*_i)) with β = γ/λ.
  Random random(613);
  for (const double lambda : {1.0, 0.05}) {
    const Problem problem(RandomMultiLabelProblem(random, 8, 3, 4, true), lambda);
    ExampleOracle oracle(
        problem, {.solver = SolverKind::kBruteForce, .ways = ExampleOracle::Ways::kSolvers});
    TrainOptions options = With(Newest(LearnerKind::kFrankWolfe), "--fixed-step on");
    const auto learner = MakeLearner(problem, options);
    std::vector<double> w(problem.num_weights(), 0.0);
    for (int k = 0; k < 12; ++k) {
      std::vector<double> subgradient(w);
      for (double& g : subgradient) g *= lambda;
      for (Index m = 0; m < problem.size(); ++m) {
        const Corner corner = oracle.Maximise(m, w, nullptr);
        ScatterFeatures(problem.data().example(m), corner.coordinates, -1.0 / problem.size(),
                        subgradient);
      }
      const double beta = 2.0 / (k + 2.0) / lambda;
      for (std::size_t d = 0; d < w.size(); ++d) w[d] -= beta * subgradient[d];
      learner->RunPass(kNever);
      learner->Evaluate(1);
      CAPTURE(k);
      CheckNear(w, learner->weights());
    }
  }
}

TEST_CASE("on a binary support vector machine bcfw is dual coordinate descent") {
  // Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual coordinate descent method for large-scale
  // linear SVM", ICML 2008, Algorithm 1 with L1 loss: α_i ← min(max(α_i − G/‖x_i‖², 0), C) with
  // G = t_i w·x_i − 1, w = Σ t_i α_i x_i and C = 1/(λn).
  Random random(614);
  for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform, OrderKind::kCyclic}) {
    const Index n = 12;
    const TrainingSet training = RandomMultiLabelProblem(random, n, 1, 5, false);
    for (const double lambda : {1.0, 0.02}) {
      const Problem problem(training, lambda);
      const Offset features = problem.num_weights();
      const TrainOptions options = Newest(LearnerKind::kBcfw, order);
      ExampleVisits visits(options, problem.data());
      const auto learner = MakeLearner(problem, options);
      ExampleOracle oracle(
          problem, {.solver = SolverKind::kBruteForce, .ways = ExampleOracle::Ways::kSolvers});
      PointBlocks blocks(problem, {}, &oracle);  // the engine of the learner, for single steps
      std::vector<std::vector<double>> x;        // t_i x_i
      for (Index m = 0; m < n; ++m) {
        const ExampleView example = problem.data().example(m);
        const double t = example.labels()[0] == 1 ? 1 : -1;
        x.emplace_back();
        const Eigen::VectorXd phi = DenseFeatures(example, 0, 1);
        for (Offset d = 0; d < features; ++d) x.back().push_back(t * phi[d]);
      }
      const double c = 1 / (lambda * n);
      std::vector<double> alpha(n, 0.0);
      std::vector<double> w(features, 0.0);
      int inside = 0;
      for (int pass = 0; pass < 10; ++pass) {
        for (const Index m : NextVisits(&visits)) {
          double margin = 0;
          double square = 0;
          for (Offset d = 0; d < features; ++d) {
            margin += w[d] * x[m][d];
            square += x[m][d] * x[m][d];
          }
          const double before = alpha[m];
          alpha[m] = std::min(std::max(before - (margin - 1) / square, 0.0), c);
          inside += alpha[m] > 0 && alpha[m] < c;
          for (Offset d = 0; d < features; ++d) w[d] += (alpha[m] - before) * x[m][d];
          CAPTURE(pass);
          CAPTURE(m);
          blocks.Visit(m);
          CheckNear(w, blocks.w());
        }
        learner->RunPass(kNever);
        learner->Evaluate(1);
        CheckNear(blocks.w(), learner->weights());
      }
      CHECK(inside > 0);
    }
  }
}

TEST_CASE("a batch start is the first step of batch Frank-Wolfe") {
  Random random(615);
  for (int trial = 0; trial < 4; ++trial) {
    for (const double lambda : {0.5, 0.01}) {
      const Problem problem(SomeProblem(random, trial), lambda);
      TrainOptions options = With(Newest(LearnerKind::kBcfw), "--batch-start on");
      const auto learner = MakeLearner(problem, options);
      const auto batch = MakeLearner(problem, Newest(LearnerKind::kFrankWolfe));
      for (Learner* each : {learner.get(), batch.get()}) each->RunPass(kNever);
      const double dual = batch->Evaluate(1).dual;
      CHECK(Near(learner->Evaluate(1).dual, dual, kTight));
      CheckNear(batch->weights(), learner->weights());
      learner->RunPass(kNever);
      CHECK(learner->Evaluate(1).dual >= dual - kTight);
      CHECK(learner->work().oracle_calls == 2 * problem.size());
      options.average = AverageKind::kWeighted;
      CheckPasses(problem, options, ExactOptimum(problem.training(), lambda), 6);
      if (trial == 0) CheckResume(problem, options);
    }
  }
}

TEST_CASE("options that contradict a batch start or a suffix are refused") {
  const auto refusal = [&](const std::string& text) {
    return RefusalOf(With(Newest(LearnerKind::kBcfw), "--keep-newest off " + text));
  };
  CHECK(refusal("") == "accepted");
  CHECK(refusal("--batch-start on --step pairwise") ==
        "--batch-start needs --learner bcfw with --step fw");
  CHECK(refusal("--batch-start on --fixed-step on") ==
        "--batch-start cannot be combined with --fixed-step: it searches a line");
  CHECK(refusal("--batch-start on --shards 2") == "--shards cannot be combined with --batch-start");
  CHECK(refusal("--average weighted --suffix-share 0.25") ==
        "--suffix-share has no effect without --average suffix");
  CHECK(refusal("--keep-newest on --shards 2") == "--shards cannot be combined with --keep-newest");
  CHECK(refusal("--order cyclic --shards 2")
            .starts_with("--shards cannot be combined with --order cyclic: "));
  CHECK(refusal("--keep-newest on --learner cutting-plane-1 --step auto")
            .starts_with("--keep-newest on applies to --learner bcfw"));
}
