// SPDX-License-Identifier: BSD-3-Clause
//
// The learner in shards: certificates, monotone duals, one optimum whatever the number of shards,
// and the same bits whatever the number of threads.
#include <slackline/learning/shards/sharded_learner.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/problem_scales.h>
#include <slackline/learning/shards/active_set_shard.h>
#include <slackline/learning/step/proximal_control.h>

#include "tests/support/learner_checks.h"
#include "tests/support/sanitized.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions Shards(Index shards, Switch proximal = Switch::kAuto) {
  return {.learner = LearnerKind::kBcfw,
          .step = StepKind::kPairwise,
          .order = OrderKind::kGap,
          .proximal = proximal,
          .shards = shards};
}

/// A chain with an input of two features per variable.
std::shared_ptr<const Structure> Chain(Index length, std::shared_ptr<const WeightLayout> layout) {
  FactorGraphBuilder graph;
  graph.AddVariables(length, 2);
  for (Index i = 0; i + 1 < length; ++i) graph.AddFactor({i, i + 1});
  StructureBuilder builder(graph.Build(), layout);
  const Index on = builder.AddStateMap({{kAbsent, 0}, {}});
  const Index both = builder.AddStateMap({{kAbsent, kAbsent, kAbsent, 0}, {}});
  for (Index i = 0; i < length; ++i) builder.AddLinear(i, 0, i, on, 0);
  for (Index i = 0; i + 1 < length; ++i) builder.AddConstant(length + i, 1, both, 0);
  return builder.Build();
}

/// Chains, those of the second half a hundred times as long as those of the first.
Problem UnevenProblem(Random& random, Index examples) {
  WeightLayout blocks;
  blocks.AddBlock("on", 1, 2);
  blocks.AddBlock("both", 1);
  const auto layout = std::make_shared<const WeightLayout>(blocks);
  const std::shared_ptr<const Structure> chains[] = {Chain(2, layout), Chain(200, layout)};
  const auto rows = std::make_shared<FeatureRows>();
  Dataset data(layout, rows);
  for (Index m = 0; m < examples; ++m) {
    const auto& structure = chains[2 * m < examples ? 0 : 1];
    const Index first = rows->size();
    std::vector<Index> y(structure->graph().num_variables());
    for (Index& label : y) {
      const double x = random.Normal();
      rows->AddDense(std::vector<double>{x, 1});
      label = x + random.Normal() > 0 ? 1 : 0;
    }
    data.Add(structure, y, first);
  }
  return Problem(MakeTrainingSet(data, LossOptions{}), 0.01);
}

/// Makes visits as a learner in shards does, and adds up what they say that they gained.
class VisitingShards : public RoundLearner {
 public:
  VisitingShards(const Problem& problem, const TrainOptions& options)
      : RoundLearner(problem, options, MakerOf<ActiveSetShard>(options)) {}
  void RunPass(const StopControl& stop) override {
    MakePass(stop, [&](const Visitor& visit) {
      using Visits = ActiveSetShard::Visits;
      for (const Visits visits : {Visits::kCallOracle, Visits::kActiveSets}) {
        const auto choose = [&](Shard& one) {
          static_cast<ActiveSetShard&>(one).Choose(visits, 0);
        };
        reported_ += visit(choose, Until::kAllDone).gain / num_examples();
      }
    });
  }
  /// What a derived class must not do before a pass has ended.
  void RebuildWithinPass() {
    MakePass(kNever, [&](const Visitor& visit) {
      visit([](Shard& one) { static_cast<ActiveSetShard&>(one).Choose({}, 0); }, Until::kAllDone);
      Rebuild();
    });
  }
  Evaluation Evaluate(int) override { return {}; }
  void ChangeLambda(const Problem&) override {}
  double reported() const { return reported_; }

 private:
  double reported_ = 0;
};

}  // namespace

TEST_CASE("visits report what the line searches gain, once, in rounds of several parts") {
  Random random(20);
  for (const Index shards : {2, 4}) {
    VisitingShards learner(TextProblem(random), Shards(shards, Switch::kOff));
    double before = 0;
    for (int pass = 0; pass < 4; ++pass) {
      learner.RunPass(kNever);
      CAPTURE(pass);
      // Rounds that stay open until the end of a pass count as their parts see them.
      CHECK(std::abs(learner.reported() - learner.gained()) <= 0.2 * learner.gained());
      CHECK(learner.reported() > before);
      before = learner.reported();
    }
  }
}

TEST_CASE("points are read between passes only, not while a round is open") {
  Random random(21);
  VisitingShards learner(TextProblem(random), Shards(2, Switch::kOff));
  learner.RunPass(kNever);
  CHECK_THROWS_AS(learner.RebuildWithinPass(), std::invalid_argument);
  CHECK_THROWS_AS(learner.RunPass(kNever), std::invalid_argument);
}

TEST_CASE("evaluations are those of the weights and of the dual point, around the optimum") {
  Random random(1);
  for (const Index shards : Cases<Index>({2, 12, 3, 100})) {
    for (const OrderKind order : {OrderKind::kGap, OrderKind::kExample, OrderKind::kUniform}) {
      for (const Switch proximal : {Switch::kAuto, Switch::kOff}) {
        const Problem problem = DenseProblem(random);
        TrainOptions options = Shards(shards, proximal);
        options.order = order;
        options.step = order == OrderKind::kExample ? StepKind::kAway : StepKind::kPairwise;
        const double optimum = SolveRelaxed(problem.training(), problem.lambda()).value;
        CAPTURE(shards);
        CheckPasses(problem, options, optimum, 8);
      }
    }
  }
}

TEST_CASE("all numbers of shards reach the optimum") {
  Random random(2);
  for (int trial = 0; trial < Trials(6); ++trial) {
    ProblemOptions kind = RandomOptions(random);
    kind.num_examples = 4;
    kind.forest = true;
    const Problem problem(RandomProblem(random, kind), 0.05);
    const double optimum = SolveExact(problem.training(), problem.lambda()).value;
    for (const Index shards : Cases<Index>({1, 2, 4})) {
      TrainOptions options = With(Shards(shards), "--oracle tree");
      // Not 1e-8: the dual is then at its optimum up to rounding, and a line search over shards
      // keeps no change whose gain is smaller than the rounding of the dual variables.
      options.gap_tolerance = 1e-7;
      const TrainSummary summary = Train(problem, options);
      CAPTURE(shards);
      CHECK(summary.termination == Termination::kConverged);
      CHECK(Near(summary.last.primal, optimum, kSolver));
    }
  }
}

TEST_CASE("the dual never falls, even where shards repeat each other's steps") {
  Random random(3);
  for (const Index shards : Cases<Index>({2, 4, 8})) {
    CheckDualNeverFalls(DenseProblem(random, 24), Shards(shards, Switch::kOff), 20, kExact);
    const Problem repeated(
        RandomProblem(random, {.num_examples = 8, .forest = true, .repeat_examples = true}), 0.01);
    CheckDualNeverFalls(repeated, Shards(shards, Switch::kOff), 20, kExact);
    CheckDualNeverFalls(TextProblem(random), Shards(shards, Switch::kOff), 12, kExact);
  }
}

TEST_CASE("the common weights are those of the dual point after every pass") {
  Random random(14);
  for (const Index shards : Cases<Index>({2, 3, 8})) {
    for (const bool texts : {false, true}) {
      const Problem problem = texts ? TextProblem(random) : DenseProblem(random, 100);
      const auto learner = MakeShardedLearner(problem, Shards(shards, Switch::kOff));
      for (int pass = 0; pass < 10; ++pass) {
        learner->RunPass(kNever);
        learner->Evaluate(1);
        CAPTURE(shards);
        CAPTURE(texts);
        CAPTURE(pass);
        CHECK(LargestDifference(learner->weights(), learner->reached()) <= kTight);
      }
    }
  }
}

TEST_CASE("rare features: the certificate is that of one chain of visits") {
  Random random(4);
  const Problem problem = TextProblem(random);
  TrainOptions options = With(Shards(1), "--gap-tolerance 1e-7");
  const TrainSummary alone = Train(problem, options);
  for (const Index shards : {2, 5}) {
    options.shards = shards;
    const TrainSummary together = Train(problem, options);
    CAPTURE(shards);
    CHECK(together.termination == Termination::kConverged);
    CHECK(together.last.primal >= alone.last.dual);
    CHECK(together.last.dual <= alone.last.primal);
    CHECK(together.last.rounds > 2 * together.last.pass);
    CHECK(together.last.critical_seconds > 0);
  }
}

TEST_CASE("passes with shards are worth nearly as much as passes with one") {
  Random random(5);
  const TrainOptions options = With(Shards(1), "--gap-tolerance 1e-3");
  CheckPassesOfShards(DenseProblem(random, 400), options, 2);
  CheckPassesOfShards(TextProblem(random), options, 2);
}

TEST_CASE(
    "the first centre is as many times as strong as there are shards, unless features are rare") {
  Random random(15);
  for (const Index examples : {12, 400}) {
    const Problem problem = DenseProblem(random, examples);
    const JointScales scales = JointScalesOf(problem, TrainOptions());
    const double most = MostFirstKappa(problem.lambda(), scales, problem.num_weights());
    for (const Index shards : {2, 7}) {
      const double kappa = MakeShardedLearner(problem, Shards(shards))->kappa();
      CHECK(kappa == doctest::Approx(FirstKappa(problem, shards * most)));
      CHECK(kappa > 1.5 * FirstKappa(problem, most));
    }
  }
  const Problem texts = TextProblem(random);
  CHECK(MakeShardedLearner(texts, Shards(7))->kappa() == doctest::Approx(FirstKappa(texts)));
}

TEST_CASE("shards with little to do end the pass of others, unless it is the first one") {
  Random random(14);
  constexpr Index kExamples = 400;
  const Problem problem = UnevenProblem(random, kExamples);
  TrainOptions options = Shards(2);
  options.order = OrderKind::kExample;  // chooses all examples
  const auto learner = MakeShardedLearner(problem, options);
  learner->RunPass(kNever);
  CHECK(learner->work().oracle_calls == kExamples);
  for (int pass = 2; pass <= 5; ++pass) {
    const std::int64_t before = learner->work().oracle_calls;
    learner->RunPass(kNever);
    const std::int64_t calls = learner->work().oracle_calls - before;
    CHECK(calls > kExamples / 2);
    CHECK(calls < kExamples);
  }
  options.gap_tolerance = 1e-3;
  CHECK(Train(problem, options).termination == Termination::kConverged);
}

TEST_CASE("the same bits for every number of threads, and every time") {
  Random random(6);
  for (const Index shards : Cases<Index>({2, 3, 7})) {
    CheckReplay(DenseProblem(random, 40), Shards(shards));
    CheckReplay(TextProblem(random), Shards(shards), 6);
  }
}

TEST_CASE("a run is resumed, and taken over by another learner, bit for bit") {
  Random random(7);
  const Problem dense = DenseProblem(random, 30);
  const Problem texts = TextProblem(random);
  for (const Switch proximal : {Switch::kAuto, Switch::kOff}) {
    CheckResume(dense, Shards(3, proximal));
    CheckTakeOver(dense, Shards(3, proximal));
    CheckTakeOver(texts, Shards(4, proximal));
    CheckTakeOver(texts, Shards(2, proximal),
                  {.prepare = [](Learner& learner) { learner.Evaluate(1); }});
  }
}

TEST_CASE("a state of another number of shards is refused") {
  Random random(8);
  const Problem problem = DenseProblem(random);
  const auto learner = MakeLearner(problem, Shards(3));
  learner->RunPass(kNever);
  CHECK_THROWS_AS(LoadAll(StateOf(*learner), *MakeLearner(problem, Shards(2))), DataError);
}

TEST_CASE("λ can change between passes") {
  Random random(9);
  const Problem first = DenseProblem(random, 20);
  for (const double lambda : {0.1, 0.004}) {
    const Problem second = first.WithLambda(lambda);
    const double optimum = SolveRelaxed(second.training(), second.lambda()).value;
    for (const Switch proximal : {Switch::kAuto, Switch::kOff}) {
      // As near as a run that begins with the second λ, up to a factor. Both gaps are those of the
      // newest weights, which come and go.
      TrainOptions fresh = With(Shards(3, proximal), "--gap-tolerance 0 --max-passes 100");
      const double gap = 10 * Train(second, fresh).last.gap + 1e-5;
      CAPTURE(lambda);
      CheckPath(first, second, Shards(3, proximal), optimum, 10, 100, gap);
      CheckChangeLambda(first, Shards(3, proximal), lambda, optimum, 0, 100, gap);
    }
  }
}

TEST_CASE("another solver confirms certificates") {
  Random random(10);
  CheckVerifies(DenseProblem(random, 20), Shards(4));
  CheckVerifies(DenseProblem(random, 20), Shards(2, Switch::kOff));
}

TEST_CASE("problems of extreme shapes") {
  CheckUnpleasantProblems(Shards(2));
  CheckUnpleasantProblems(Shards(3, Switch::kOff));
}

TEST_CASE("an interrupt in the middle of a pass leaves a point with a certificate") {
  Random random(11);
  CheckInterruptedPasses(TextProblem(random), Shards(3, Switch::kOff), true);
}

TEST_CASE("options that do not go with shards are refused") {
  Random random(12);
  const Problem problem = DenseProblem(random);
  const auto refusal = [&](const std::string& text) {
    return RefusalOf(problem, With(Shards(2), text));
  };
  CHECK(Contains(refusal("--average weighted"), "--shards cannot be combined with --average"));
  CHECK(Contains(refusal("--planes on"), "--shards cannot be combined with --planes on"));
  CHECK(Contains(refusal("--learner ssg --step auto --order auto"), "--shards"));
  CHECK(Contains(RefusalOf(problem, Shards(1000)), "--shards"));
}

TEST_CASE("auto trains in shards where examples have an oracle") {
  Random random(13);
  const Problem problem = DenseProblem(random, 20);
  const TrainSummary summary = Train(problem, {.shards = 2});
  CHECK(summary.termination == Termination::kConverged);
  CHECK(summary.last.rounds > 0);
}
