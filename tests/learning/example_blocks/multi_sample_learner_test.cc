// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/multi_sample_learner.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <Eigen/Core>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/learning/shards/shard_deal.h>
#include <slackline/learning/step/feature_bounds.h>
#include <slackline/learning/step/sampling.h>

#include "tests/support/learner_checks.h"
#include "tests/support/multiclass_problems.h"
#include "tests/support/one_variable.h"
#include "tests/support/plain_online.h"

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
              Random*, std::vector<std::vector<Index>>* labellings) override {
    ++*calls_;
    CHECK(static_cast<Offset>(scores.size()) == example.graph().total_states());
    for (Index k = 0; k < count; ++k)
      labellings->emplace_back(example.graph().num_variables(), k % 2);
  }

 private:
  int* calls_;
};

/// Labellings 0, 1, … of an example, in an order that depends on the example.
std::vector<std::vector<Index>> Listed(Index m, const FactorGraph& graph, Index count) {
  std::vector<std::vector<Index>> list;
  for (Index k = 0; k < count; ++k) {
    std::vector<Index> labels;
    for (Index i = 0; i < graph.num_variables(); ++i) labels.push_back((5 * k + 3 * m) >> i & 1);
    list.push_back(labels);
  }
  return list;
}
class ListingSampler : public LabellingSampler {
 public:
  void Sample(Index m, const ExampleView& example, std::span<const double>, Index count, Random*,
              std::vector<std::vector<Index>>* labellings) override {
    for (auto& labels : Listed(m, example.graph(), count)) labellings->push_back(labels);
  }
};

/// A run of Algorithm 3 on examples in any order.
PlainOnline RunPlain(const Problem& problem, std::span<const Index> order,
                     const PlainOnline::Moves& moves = {}, Index samples = 4) {
  PlainOnline plain(problem, moves);
  for (const Index m : order) {
    plain.Step(m, Listed(m, problem.data().example(m).graph(), samples),
               static_cast<std::size_t>(samples));
  }
  return plain;
}

std::vector<Index> Draws(Random* random, Index examples, int count) {
  std::vector<Index> draws;
  for (int t = 0; t < count; ++t)
    draws.push_back(static_cast<Index>(random->Below(static_cast<std::uint64_t>(examples))));
  return draws;
}

/// The largest bound on the distance of two feature vectors of an example.
double LongestDistance(const Problem& problem) {
  double squared = 0;
  for (Index m = 0; m < problem.size(); ++m)
    squared = std::max(squared, SquaredFeatureRange(problem.data().example(m)));
  return std::sqrt(squared);
}

/// Σ_t ‖∇f(w^(t−1); Z_t)‖²/(2λt).
double SumOfGradients(const PlainOnline& plain, double lambda) {
  double sum = 0;
  for (std::size_t t = 1; t <= plain.steps.size(); ++t)
    sum += plain.steps[t - 1].squared_gradient / (2 * lambda * static_cast<double>(t));
  return sum;
}

/// L² (log T + 1)/(2λT) with L = √(λB) + the longest ψ; the paper has B = 1 and 2R.
double RegretBound(const PlainOnline& plain, double lambda, double steps) {
  const double l = std::sqrt(lambda * plain.largest_loss) + plain.longest;
  return l * l * (std::log(steps) + 1) / (2 * lambda * steps);
}

double Mean(const PlainOnline& plain, double PlainOnlineStep::*member) {
  double sum = 0;
  for (const PlainOnlineStep& step : plain.steps) sum += step.*member;
  return sum / static_cast<double>(plain.steps.size());
}

/// One feature, r or −r, and losses of 1, with λ = 4r². The first update leads to the edge of the
/// ball, w = 1/(2r) = 1/√λ.
constexpr double kRadius = 0.7;
constexpr double kEdgeLambda = 4 * kRadius * kRadius;
TrainingSet EdgeProblem(bool contradiction) {
  const std::vector<double> values = {-kRadius, kRadius};
  if (!contradiction) return OneVariable({values}, {1, 0}, {1});
  return OneVariable({values, values}, {1, 0, 0, 1}, {1, 0});
}

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
      CheckConverged(run);
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
      TrainOptions options =
          With(SampleOptions(samples, false, 0.05), "--max-passes 1500 --average weighted");
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
      double first = 0;
      double last = 0;
      for (int pass = 0; pass < 40; ++pass) {
        learner->RunPass(kNever);
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

TEST_CASE("weights that several labellings take out of the ball are scaled onto its surface") {
  // With λ = 1, the first labelling leads to (1, 0)/√2, where its weight is 1/2 and the second one
  // still violates its margin by 1/2: with the other half it leads to ‖w‖² = 5/4. (With a single
  // labelling w·ψ ≤ Δ after a step: ‖w^t‖² ≤ (1 − 1/t) ‖w^(t−1)‖ ‖w^t‖ + 1/(λt), never outside.)
  auto layout = std::make_shared<WeightLayout>();
  const Index along = layout->AddBlock("along", 1, 1), across = layout->AddBlock("across", 1, 1);
  FactorGraphBuilder graph;
  graph.AddVariable(3);
  StructureBuilder builder(graph.Build(), layout);
  const double root = std::sqrt(0.5);
  builder.AddConstant(0, along, builder.AddStateMap({{0, 0, 0}, {-2 * root, -root, 0}}), 0);
  builder.AddConstant(0, across, builder.AddStateMap({{0, 0, 0}, {0, -root, 0}}), 0);
  Dataset data(layout, std::make_shared<FeatureRows>());
  data.Add(builder.Build(), std::vector<Index>{2});
  const Problem problem(MakeTrainingSet(data, LossOptions{}), 1);
  const PlainOnline plain = RunPlain(problem, std::vector<Index>{0}, {}, 2);  // states 0 and 1
  CHECK(plain.steps[0].gain_of_projection > 0.01);
  TrainOptions options = With(SampleOptions(2, false), "--keep-newest on --expand-first on");
  const auto learner = MakeMultiSampleLearner(problem, options, std::make_unique<ListingSampler>());
  learner->RunPass(kNever);
  CHECK(Near(plain.Dual(), learner->Evaluate(1).dual, kExact));  // dual variables shrink with w
  for (const double* w : {learner->weights().data(), plain.w.data()}) {
    CHECK(Near(w[0], 3 / std::sqrt(10), kExact));
    CHECK(Near(w[1], 1 / std::sqrt(10), kExact));
  }
}

TEST_CASE("multiclass problems use the exact update") {
  Random random(5);
  const MulticlassProblem multiclass = RandomMulticlassProblem(random, 10, 4, 3);
  const double lambda = 0.1;
  const Problem problem(multiclass.training, lambda);
  const double optimum = ExactOptimum(problem.training(), lambda);
  double gap[2] = {0, 0};
  for (const Index samples : {1, 4}) {
    const auto learner = MakeLearner(problem, SampleOptions(samples, false));
    for (int pass = 0; pass < 30; ++pass) learner->RunPass(kNever);
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
    TrainOptions options = With(SampleOptions(4, trial % 2 == 1), "--average suffix");
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
  TrainOptions options = With(SampleOptions(2, false, 0), "--max-passes 30");
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

TEST_CASE("one pass over a stream is Algorithm 3 with Algorithm 1, in the paper's order or not") {
  Random random(12);
  for (int trial = 0; trial < 4; ++trial) {
    const double lambda = trial % 2 == 0 ? 0.3 : 0.01;
    const Problem problem(RandomMultiLabelProblem(random, 12, 3, 3, true), lambda);
    for (const Index rounds : {1, 3}) {
      for (const bool expand_first : {false, true}) {
        // Two visits of an example in a row would find ties, as the second one begins where the
        // first one made two labellings equally good.
        for (const int passes : {1, 4}) {
          const Index samples = 5;
          TrainOptions options =
              With(SampleOptions(samples, false), "--order cyclic --keep-newest on");
          auto& own = options.own<MultiSampleOptions>();
          own.update_rounds = rounds;
          own.expand_first = expand_first;
          own.online_loss = true;
          const auto learner =
              MakeMultiSampleLearner(problem, options, std::make_unique<ListingSampler>());
          PlainOnline plain(problem, {static_cast<int>(rounds), expand_first});
          ExampleVisits visits(options, problem.data());
          for (int pass = 0; pass < passes; ++pass) {
            visits.Pass(kNever, [&](Index m) {
              CHECK(m == plain.t % problem.size());
              plain.Step(m, Listed(m, problem.data().example(m).graph(), samples), samples);
            });
            learner->RunPass(kNever);
          }
          learner->Evaluate(1);
          CAPTURE(trial);
          CAPTURE(rounds);
          CAPTURE(expand_first);
          const auto w = learner->weights();
          for (std::size_t d = 0; d < w.size(); ++d)
            CHECK(Near(w[d], plain.w[static_cast<Eigen::Index>(d)], kTight));
          const OnlineFigures figures = FiguresOf(*learner);
          CHECK(figures.steps == plain.t);
          CHECK(Near(figures.mean_objective, Mean(plain, &PlainOnlineStep::suffered), kTight));
          CHECK(Near(figures.mean_loss, Mean(plain, &PlainOnlineStep::predicted_loss), kTight));
          CHECK(Near(figures.bound, SumOfGradients(plain, lambda) / static_cast<double>(plain.t),
                     kTight));
          // L² (log T + 1)/(2λT), with the largest distance of two feature vectors in place of 2R.
          const auto count = static_cast<double>(plain.t);
          const double l = std::sqrt(lambda * plain.largest_loss) + LongestDistance(problem);
          CHECK(plain.longest <= LongestDistance(problem) * (1 + kTight));
          CHECK(Near(figures.loss_bound, l * l * (std::log(count) + 1) / (2 * lambda * count),
                     kTight));
        }
      }
    }
  }
}

TEST_CASE("lemmas 2.2 to 2.5: what a step gains, and how long gradients are") {
  Random random(13);
  int full = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const double lambda = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.05 : 0.002;
    const Problem problem(RandomMultiLabelProblem(random, 8, 3, 3, true), lambda);
    const Index samples = trial % 2 == 0 ? 1 : 5;
    const PlainOnline plain = RunPlain(problem, Draws(&random, 8, 60), {}, samples);
    const double l = std::sqrt(lambda * plain.largest_loss) + plain.longest;
    for (std::size_t t = 1; t <= plain.steps.size(); ++t) {
      const PlainOnlineStep& step = plain.steps[t - 1];
      const double price = step.squared_gradient / (2 * lambda * static_cast<double>(t));
      CHECK(step.gain >= step.suffered - price - kTight);           // Lemma 2.2
      CHECK(step.gain_of_projection >= -kTight);                    // Lemma 2.3; line 5 seldom acts
      CHECK(std::sqrt(step.squared_gradient) <= l * (1 + kTight));  // Lemma 2.5
      CHECK(step.suffered >= step.predicted_loss - kTight);         // Lemma 2.6
      // A single labelling with all the weight: Lemma 2.2 is an equation, and half of the price
      // would be too little.
      if (samples > 1 || step.mass < 1) continue;
      CHECK(Near(step.gain, step.suffered - price, kTight));
      full += step.gain < step.suffered - 0.5 * price - kTight;
    }
    // Lemma 2.4, against the dual and so against any w.
    const auto count = static_cast<double>(plain.t);
    CHECK(Mean(plain, &PlainOnlineStep::suffered) <=
          (plain.Dual() + SumOfGradients(plain, lambda)) / count + kTight);
  }
  CHECK(full > 20);
}

TEST_CASE("theorem 2.1.1: predictions before an update lose little more than the best weights") {
  Random random(14);
  for (int trial = 0; trial < 6; ++trial) {
    const double lambda = trial % 2 == 0 ? 1.0 : 0.1;
    const Problem problem(RandomMultiLabelProblem(random, 10, 3, 3, true), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    TrainOptions options = With(SampleOptions(3, false), "--online-loss on");
    const auto learner = MakeLearner(problem, options);
    for (int pass = 1; pass <= 20; ++pass) {
      learner->RunPass(kNever);
      const OnlineFigures figures = FiguresOf(*learner);
      // After whole passes min F_T/T is the optimum of the examples.
      CHECK(figures.mean_loss <= figures.mean_objective + kTight);
      CHECK(figures.mean_loss <= optimum + figures.loss_bound);
      CHECK(figures.bound <= figures.loss_bound);
    }
  }
  // Two examples that contradict each other: Lemma 2.4 is an equation, and the second gradient is
  // as long as Lemma 2.5 allows, √λ + 2R. Here log T + 1 is 1.69 for 1 + 1/2, and the first
  // gradient has no part √λ, which leaves 44 percent of the theorem's bound: the most that a search
  // over sequences of up to eight examples found.
  const Problem edge(EdgeProblem(true), kEdgeLambda);
  const PlainOnline plain = RunPlain(edge, std::vector<Index>{0, 1}, {}, 1);
  const double root = std::sqrt(kEdgeLambda);
  CHECK(Near(plain.steps[0].squared_gradient, 4 * kRadius * kRadius, kTight));
  CHECK(Near(plain.steps[1].squared_gradient, (root + 2 * kRadius) * (root + 2 * kRadius), kTight));
  CHECK(Near(plain.steps[1].before[0], 1 / root, kTight));
  const double regret =
      Mean(plain, &PlainOnlineStep::suffered) - ExactOptimum(edge.training(), kEdgeLambda);
  CHECK(Near(regret, SumOfGradients(plain, kEdgeLambda) / 2, kSolver));
  CHECK(regret > 0.44 * RegretBound(plain, kEdgeLambda, 2));
  CHECK(Near(Mean(plain, &PlainOnlineStep::predicted_loss), 1, kExact));
}

TEST_CASE("theorem 2.1.2: the loss on new examples, for the mean over iterates and for the last") {
  // The examples are draws from twelve. The regret of the run, and of draws that are independent of
  // the iterate before them, bounds the mean over t of E Δ(g(X; w^(t−1)), Y). The paper writes the
  // last iterate, w^n, for which this is no proof; it is checked here as well.
  Random random(15);
  for (const double lambda : {1.0, 0.1}) {
    const Problem problem(RandomMultiLabelProblem(random, 12, 3, 3, true), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    constexpr int kRuns = 12;
    for (const int n : {4, 16, 64}) {
      double of_mean = 0;  // E over runs
      double of_last = 0;
      double objective = 0;
      double gradients = 0;
      double bound = 0;
      for (int run = 0; run < kRuns; ++run) {
        const PlainOnline plain = RunPlain(problem, Draws(&random, 12, n));
        bound = RegretBound(plain, lambda, n);
        of_last += plain.PredictedLoss(plain.w) / kRuns;
        gradients += SumOfGradients(plain, lambda) / n / kRuns;
        for (const PlainOnlineStep& step : plain.steps) {
          of_mean += plain.PredictedLoss(step.before) / n / kRuns;
          const std::vector<double> w(step.before.begin(), step.before.end());
          objective += ExactPrimal(problem.training(), lambda, w) / n / kRuns;
        }
      }
      CAPTURE(n);
      CHECK(of_mean <= objective + kTight);
      CHECK(objective <= optimum + gradients + kTight);
      CHECK(gradients <= bound);
      CHECK(of_last <= optimum + bound);
    }
  }
  // Draws of one example, n = 1: f(w^0) is 1, the optimum 1/2, their difference (2R)²/(2λ).
  const Problem edge(EdgeProblem(false), kEdgeLambda);
  const PlainOnline plain = RunPlain(edge, std::vector<Index>{0}, {}, 1);
  CHECK(Near(plain.steps[0].suffered - SumOfGradients(plain, kEdgeLambda),
             ExactOptimum(edge.training(), kEdgeLambda), kSolver));
  CHECK(SumOfGradients(plain, kEdgeLambda) > 0.4);
}

TEST_CASE("theorem 2.1.3: the training error of the mean iterate") {
  Random random(16);
  for (const double lambda : {1.0, 0.1}) {
    const Index n = 6;
    const Problem problem(RandomMultiLabelProblem(random, n, 3, 3, true), lambda);
    const double optimum = ExactOptimum(problem.training(), lambda);
    std::vector<Index> order;
    for (const int passes : {1, 4, 16}) {
      while (std::ssize(order) < std::ptrdiff_t{n} * passes)
        order.push_back(static_cast<Index>(order.size()) % n);
      const PlainOnline plain = RunPlain(problem, order);
      Eigen::VectorXd sum = Eigen::VectorXd::Zero(plain.w.size());
      for (const PlainOnlineStep& step : plain.steps) sum += step.before;
      const auto count = static_cast<double>(plain.t);
      sum /= count;
      const double primal =
          ExactPrimal(problem.training(), lambda, std::vector<double>(sum.begin(), sum.end()));
      CHECK(primal <= Mean(plain, &PlainOnlineStep::suffered) + kTight);  // Jensen
      CHECK(primal <= optimum + SumOfGradients(plain, lambda) / count + kSolver);
      CHECK(primal <= optimum + RegretBound(plain, lambda, count));
    }
  }
  // m = n = 1: w̄ = 0 has the error 1, the optimum is 1/2, and (2R)²/(2λ) = 1/2.
  const Problem edge(EdgeProblem(false), kEdgeLambda);
  const PlainOnline plain = RunPlain(edge, std::vector<Index>{0}, {}, 1);
  const double optimum = ExactOptimum(edge.training(), kEdgeLambda);
  CHECK(Near(optimum, 0.5, kSolver));
  CHECK(Near(ExactPrimal(edge.training(), kEdgeLambda, std::vector<double>{0}),
             optimum + SumOfGradients(plain, kEdgeLambda), kSolver));
}

TEST_CASE("examples that are not kept: a run in parts is a pass in the order of the data") {
  Random random(18);
  for (const AverageKind average : {AverageKind::kOff, AverageKind::kWeighted}) {
    const Problem problem(RandomMultiLabelProblem(random, 23, 4, 3, true), 0.05);
    TrainOptions options = With(SampleOptions(4, false), "--order cyclic");
    options.average = average;
    options.keep_newest = true;  // the average, also where its objective is worse
    options.own<MultiSampleOptions>().online_loss = true;
    const auto learner = MakeLearner(problem, options);
    learner->RunPass(kNever);
    learner->Evaluate(1);
    for (const Index size : {1, 7, 23}) {
      OnlineRun run(options, problem.num_weights());
      for (Index m = 0; m < problem.size(); m += size)
        VisitNext(ProblemOfRange(problem, {m, std::min(m + size, problem.size())}), options, &run);
      CAPTURE(size);
      const OnlineFigures whole = FiguresOf(*learner);
      const OnlineFigures parts = run.sums.Figures(problem.lambda(), true);
      CHECK(parts.steps == 23);
      CHECK(parts.mean_objective == whole.mean_objective);
      CHECK(parts.bound == whole.bound);
      CHECK(parts.mean_loss == whole.mean_loss);
      CHECK(Near(parts.loss_bound, whole.loss_bound, kExact));
      const std::vector<double> weights = run.Output();
      CHECK(std::ranges::equal(weights, learner->weights()));
    }
  }
}

TEST_CASE("examples that are not kept need new examples, and weights that fit") {
  Random random(19);
  const TrainOptions options = With(SampleOptions(3, false), "--online-loss on");
  const Problem problem(RandomMultiLabelProblem(random, 40, 3, 3, true), 0.2);
  OnlineRun run(options, problem.num_weights());
  VisitNext(ProblemOfRange(problem, {0, 1}), options, &run);
  const std::vector<double> before = run.weights;
  CHECK_THROWS_AS(VisitNext(problem, With(options, "--revisit on"), &run), std::invalid_argument);
  OnlineRun other(options, problem.num_weights() + 1);
  CHECK_THROWS_AS(VisitNext(problem, options, &other), std::invalid_argument);
  CHECK(run.weights == before);
}

TEST_CASE("losses of predictions are noted, and need new examples") {
  Random random(17);
  const Problem problem(RandomMultiLabelProblem(random, 5, 3, 2, true), 0.1);
  TrainOptions options = With(SampleOptions(2, false, 0), "--max-passes 3");
  const TrainSummary plain = Train(problem, options);
  options.own<MultiSampleOptions>().online_loss = true;
  const TrainSummary noted = Train(problem, options);
  CHECK(plain.notes[0].find("mean loss of predictions") == std::string::npos);
  CHECK(noted.notes[0].find("; mean loss of predictions ") != std::string::npos);
  // Predictions change nothing, and are not counted as calls of the oracle.
  CHECK(plain.weights == noted.weights);
  CHECK(plain.last.oracle_calls == noted.last.oracle_calls);
  options.own<MultiSampleOptions>().revisit = true;
  CHECK_THROWS_AS(CheckOptions(options), DataError);
}
