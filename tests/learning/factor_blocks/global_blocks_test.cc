// SPDX-License-Identifier: BSD-3-Clause
//
// Compares training with global factors with the optima of an independent quadratic program, in
// which a global factor has a column for each of its joint states (tests/support/dense_qp.h), and
// with training of the same models with tables.
#include <slackline/core/check.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/inference/decode.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/factor_blocks/factor_certificate.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/factor_blocks/global_blocks.h>
#include <slackline/learning/run/fingerprint.h>

#include <cmath>
#include <iterator>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/all_equal_factor.h"
#include "tests/support/global_problems.h"
#include "tests/support/learner_checks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::uint64_t Seed(int number) { return static_cast<std::uint64_t>(number); }

GlobalProblemOptions Family(int number) {
  GlobalProblemOptions options;
  switch (number % 6) {
    case 0:  // a count beside pairs
      break;
    case 1:  // two counts that overlap
      options.copies = 2;
      options.scope = 3;
      break;
    case 2:  // a chain over variables with three states
      options.cardinality = false;
      options.chain = true;
      options.states = 3;
      options.num_pairs = 2;
      break;
    case 3:  // chains that overlap, as in a grid
      options.cardinality = false;
      options.chain = true;
      options.copies = 2;
      options.num_pairs = 0;
      options.states = 3;
      options.scope = 3;
      break;
    case 4:  // a count and a chain
      options.chain = true;
      options.num_pairs = 1;
      break;
    default:  // bounds on a count, which forbid states, beside a count over other variables
      options.exactly_one = true;
      break;
  }
  return options;
}

}  // namespace

TEST_CASE("the augmented Lagrangian closes the gap with global factors") {
  for (int trial = 0; trial < 18; ++trial) {
    const double lambda = trial % 3 == 0 ? 1.0 : trial % 3 == 1 ? 0.1 : 0.02;
    const Problem problem(RandomGlobalProblem(Seed(100 + trial), Family(trial / 3)), lambda);
    const double optimum = RelaxedOptimum(problem.training(), lambda);
    CAPTURE(trial);
    const TrainOptions al = Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-6);
    CheckConverged(TrainOn(problem, al, optimum), optimum, 1e-5);
  }
}

TEST_CASE("Frank-Wolfe steps store no states and come near the optimum") {
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(RandomGlobalProblem(Seed(200 + trial), Family(trial)), 0.1);
    const double optimum = RelaxedOptimum(problem.training(), 0.1);
    CAPTURE(trial);
    const TrainOptions al = Options(LearnerKind::kAugmentedLagrangian, StepKind::kFrankWolfe, 2e-3);
    CheckConverged(TrainOn(problem, al, optimum), optimum, 4e-3);

    FactorBlocks blocks(problem, StepKind::kFrankWolfe, true);
    for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, 0.1);
    CHECK(!blocks.globals().keeps_corners());
    CHECK(blocks.globals().corners(0, 0).count() == 0);
  }
}

TEST_CASE("the soft learner reaches the optimum of soft constraints") {
  for (int trial = 0; trial < 6; ++trial) {
    const double rho = trial % 2 == 0 ? 1.0 : 0.05;
    const Problem problem(RandomGlobalProblem(Seed(300 + trial), Family(trial)), 0.1);
    TrainOptions options = Options(LearnerKind::kSoft, StepKind::kPairwise, 1e-7);
    options.own<PenaltyOptions>().rho = rho;
    options.order = trial % 3 == 0 ? OrderKind::kUniform : OrderKind::kExample;
    const TrainSummary summary = Train(problem, options);
    const double optimum = SoftOptimum(problem.training(), 0.1, rho);
    CAPTURE(trial);
    CHECK(summary.termination == Termination::kConverged);
    CHECK(Near(summary.last.soft_primal, optimum, 1e-6));
    CHECK(Near(summary.last.soft_dual, optimum, 1e-6));
  }
}

TEST_CASE("tables and global factors have the same optimum") {
  for (int trial = 0; trial < 6; ++trial) {
    GlobalProblemOptions options = Family(trial == 5 ? 0 : trial);
    const std::uint64_t seed = Seed(400 + trial);
    const Problem global(RandomGlobalProblem(seed, options), 0.05);
    options.as_tables = true;
    const Problem tables(RandomGlobalProblem(seed, options), 0.05);
    REQUIRE(HasGlobalFactors(global.data()));
    REQUIRE(!HasGlobalFactors(tables.data()));
    // The joint states of a chain and its pair tables have the same polytope of marginals, so the
    // optima are equal.
    const double optimum = RelaxedOptimum(tables.training(), 0.05);
    CHECK(Near(RelaxedOptimum(global.training(), 0.05), optimum, kSolver));
    const TrainOptions al = Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-6);
    const TrainSummary of_global = Train(global, al);
    const TrainSummary of_tables = Train(tables, al);
    CAPTURE(trial);
    CHECK(Near(of_global.last.primal, of_tables.last.primal, 1e-5));
    CHECK(Near(of_global.last.dual, of_tables.last.dual, 1e-5));
    REQUIRE(of_global.weights.size() == of_tables.weights.size());
    for (std::size_t k = 0; k < of_global.weights.size(); ++k)
      CHECK(std::abs(of_global.weights[k] - of_tables.weights[k]) < 0.02);
  }
}

TEST_CASE("the gap of the blocks is the difference of the objectives") {
  for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
    for (int family = 0; family < 6; ++family) {
      const Problem problem(RandomGlobalProblem(500, Family(family)), 0.05);
      FactorBlocks blocks(problem, step, true);
      blocks.set_rho(0.3);
      for (int pass = 0; pass < 5; ++pass) {
        for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, 0.5);
      }
      const std::vector<double> moved(blocks.weights().begin(), blocks.weights().end());
      std::vector<double> weights;
      DualMixture mixture(problem.lambda());
      const FactorEvaluation point = EvaluateFactorBlocks(blocks, 2, &weights, &mixture);
      CAPTURE(family);
      CHECK(Near(point.block_gaps, point.soft_primal - point.soft_dual, kTight));
      CHECK(point.block_gaps >= 0);
      for (std::size_t k = 0; k < weights.size(); ++k) CHECK(Near(moved[k], weights[k], kTight));
      blocks.Rebuild();
      for (std::size_t k = 0; k < weights.size(); ++k)
        CHECK(Near(blocks.weights()[k], weights[k], kTight));
      // The primal bounds the optimal relaxed primal of the same weights, by the independent
      // program.
      const double best = RelaxedPrimal(problem.training(), problem.lambda(), weights);
      CHECK(point.relaxed_primal >= best - kSolver);
      CHECK(mixture.value() <= best + kSolver);
    }
  }
}

TEST_CASE("stored states give the marginals and features of their block") {
  const Problem problem(RandomGlobalProblem(600, Family(4)), 0.05);
  FactorBlocks blocks(problem, StepKind::kPairwise, true);
  for (int pass = 0; pass < 20; ++pass) {
    for (Index m = 0; m < problem.size(); ++m) blocks.VisitExample(m, 0.5);
  }
  Index several = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const BlockLayout& layout = blocks.layout(m);
    for (std::size_t g = 0; g < layout.globals.size(); ++g) {
      const GlobalBlock& global = layout.globals[g];
      const GlobalCorners& corners = blocks.globals().corners(m, static_cast<Index>(g));
      std::vector<double> features(global.num_weights, 0.0);
      double sum = 0;
      for (Index k = 0; k < corners.count(); ++k) {
        CHECK(corners.share[k] > 0);
        sum += corners.share[k];
        global.factor->AddFeatures(corners.corner(k, global.axes.size()), corners.share[k],
                                   features);
      }
      several += corners.count() > 1;
      CHECK(Near(sum, 1, kExact));
      for (std::size_t k = 0; k < features.size(); ++k)
        CHECK(Near(features[k], blocks.state(m)[global.features + static_cast<Offset>(k)], kTight));
      for (const TableAxis& axis : global.axes) {
        double mass = 0;
        for (Index s = 0; s < axis.cardinality; ++s) mass += blocks.state(m)[axis.marginal + s];
        CHECK(Near(mass, 1, kTight));
      }
    }
  }
  CHECK(several > 0);
}

TEST_CASE("restricted factors that share variables have sound bounds") {
  // Both factors overlap with an exactly-one factor, so the lower bound uses whole labellings.
  for (std::uint64_t seed = 700; seed < 704; ++seed) {
    GlobalProblemOptions options = Family(5);
    options.overlapping_bounds = true;
    const Problem problem(RandomGlobalProblem(seed, options), 0.1);
    const double optimum = RelaxedOptimum(problem.training(), 0.1);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      const TrainOptions al =
          With(Options(LearnerKind::kAugmentedLagrangian, step, 1e-6), "--max-passes 2000");
      const auto [summary, sound] = TrainOn(problem, al, optimum);
      CAPTURE(seed);
      CHECK(sound);
      CHECK(Near(summary.last.primal, optimum, step == StepKind::kPairwise ? 1e-4 : 2e-2));
      CHECK(summary.last.dual >= 0);
    }
  }
}

TEST_CASE("results do not depend on threads") {
  const Problem problem(RandomGlobalProblem(800, Family(1)), 0.05);
  TrainOptions options = Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-4);
  const TrainSummary one = Train(problem, options);
  options.threads = 3;
  CheckSame(one, Train(problem, options));
}

TEST_CASE("global factors beside tables are trained with factor blocks only") {
  const Problem problem(RandomGlobalProblem(900, Family(0)), 0.1);
  const LearnerChoice choice = ChooseLearner(problem, {});
  CHECK(choice.options.learner == LearnerKind::kAugmentedLagrangian);
  CHECK(choice.reason.find("global factors") != std::string::npos);
  for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
    CHECK_THROWS_WITH_AS(
        MakeLearner(problem, {.learner = LearnerKind::kBcfw, .step = step}),
        "learner bcfw needs oracles over whole examples, which do not exist if global factors "
        "share variables or stand beside factors with tables; use --learner al or soft",
        DataError);
  }
  const auto graph = problem.data().structures()[0]->shared_graph();
  for (const SolverKind kind :
       {SolverKind::kAuto, SolverKind::kTree, SolverKind::kRoof, SolverKind::kMessages,
        SolverKind::kLp, SolverKind::kBruteForce, SolverKind::kBranchAndBound}) {
    CHECK_THROWS_WITH_AS(MakeMapSolver(kind, graph), doctest::Contains("global factor"), DataError);
  }
  CHECK_THROWS_WITH_AS(Decoder(DecodeKind::kAuto, graph), doctest::Contains("GlobalDecoder"),
                       DataError);
}

TEST_CASE("fingerprints distinguish global factors") {
  const TrainOptions options;
  GlobalProblemOptions family = Family(5);
  const Fingerprint one = MakeFingerprint(Problem(RandomGlobalProblem(950, family), 0.1), options);
  CHECK(Difference(one, MakeFingerprint(Problem(RandomGlobalProblem(950, family), 0.1), options))
            .empty());
  family.exactly_one = false;
  CHECK(Difference(one, MakeFingerprint(Problem(RandomGlobalProblem(950, family), 0.1), options))
            .find("graph") != std::string::npos);
}

TEST_CASE("a resumed run equals an uninterrupted one") {
  for (const LearnerKind kind : {LearnerKind::kAugmentedLagrangian, LearnerKind::kSoft}) {
    for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
      for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
        const Problem problem(RandomGlobalProblem(960, Family(4)), 0.02);
        TrainOptions options = Options(kind, step, 0);
        options.order = order;
        CheckTakeOver(problem, options, {.before = 5, .after = 7});
      }
    }
  }
}

TEST_CASE("damaged states of global blocks are refused") {
  const Problem problem(RandomGlobalProblem(970, Family(5)), 0.02);
  FactorBlocks blocks(problem, StepKind::kPairwise, true);
  const std::string fitting = StateOf(blocks);
  FactorBlocks without(problem, StepKind::kFrankWolfe, true);
  CHECK_THROWS_WITH_AS(LoadAll(fitting, without), doctest::Contains("kept states"), DataError);
}

TEST_CASE("training continues with another lambda") {
  const Problem first(RandomGlobalProblem(980, Family(2)), 0.5);
  const Problem second = first.WithLambda(0.05);
  const auto learner =
      MakeLearner(first, Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-5));
  for (int pass = 0; pass < 30; ++pass) learner->RunPass(kNever);
  learner->traits().lambda->ChangeLambda(second);
  const double optimum = RelaxedOptimum(second.training(), 0.05);
  Evaluation at;
  for (int pass = 0; pass < 4000; ++pass) {
    learner->RunPass(kNever);
    if (pass % 20 != 0) continue;
    at = learner->Evaluate(1);
    learner->traits().listener->Adapt(at);
    CHECK(at.primal >= optimum - kSolver);
    CHECK(at.dual <= optimum + kSolver);
  }
  CHECK(Near(at.primal, optimum, 1e-4));
  CHECK(Near(at.dual, optimum, 1e-4));
}

TEST_CASE("a user-defined factor is trained") {
  auto layout = std::make_shared<WeightLayout>();
  const Index unary = layout->AddBlock("unary", 3, 2);
  const Index equal = layout->AddBlock("equal", 1);
  ModelBuilder builder(layout);
  const std::vector<Index> scope{0, 1, 2, 3};
  for (const Index i : scope) {
    builder.AddVariable(3);
    builder.AddLinearFeatures(i, unary, i);
  }
  builder.AddGlobalFactor(scope, std::make_shared<AllEqualFactor>(4, 3), equal);
  const auto structure = builder.Build();
  auto rows = std::make_shared<FeatureRows>();
  Random random(5);
  Dataset data(layout, rows);
  const Index labels[][4] = {{0, 0, 0, 0}, {2, 2, 2, 2}, {1, 1, 1, 1}, {0, 0, 0, 1}};
  for (int k = 0; k < 16; ++k)
    rows->AddDense(std::vector<double>{random.Normal(), random.Normal()});
  for (Index m = 0; m < 4; ++m) data.Add(structure, labels[m], 4 * m);
  const Problem problem(MakeTrainingSet(data, LossOptions()), 0.02);
  const TrainSummary summary =
      Train(problem, Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-6));
  const Optimum optimum = SolveRelaxed(problem.training(), 0.02);
  CHECK(summary.termination == Termination::kConverged);
  CHECK(Near(summary.last.primal, optimum.value, 1e-5));
  CHECK(summary.weights.back() > 0.05);  // labels agree more often than not
  CHECK(std::abs(summary.weights.back() - optimum.weights.back()) < 1e-2);
}

TEST_CASE("bounds hold and agree on unpleasant problems") {
  // Huge and tiny inputs and λ, scopes of one variable, one example, global factors of all kinds.
  Random random(77);
  for (int trial = 0; trial < 80; ++trial) {
    GlobalProblemOptions options = Family(trial);
    options.num_examples = 1 + static_cast<Index>(random.Below(3));
    options.input_scale = std::pow(10.0, static_cast<double>(random.Below(13)) - 6);
    if (random.Below(4) == 0) options.scope = 1 + static_cast<Index>(random.Below(2));
    if (random.Below(4) == 0) options.num_pairs = 0;
    const double lambdas[] = {1, 0.1, 1e-3, 1e-5, 1e-8, 1e3, 1e8};
    const double lambda = lambdas[random.Below(std::size(lambdas))];
    const std::uint64_t seed = Seed(1000 + trial);
    const Problem global(RandomGlobalProblem(seed, options), lambda);
    TrainOptions train = Options(LearnerKind::kAugmentedLagrangian, StepKind::kPairwise, 1e-3);
    train.max_passes = 300;
    std::vector<ProgressRecord> runs;
    for (const LearnerKind learner : {LearnerKind::kAugmentedLagrangian, LearnerKind::kSoft}) {
      for (const StepKind step : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
        train.learner = learner;
        train.step = step;
        train.order = random.Below(3) == 0 ? OrderKind::kUniform : OrderKind::kExample;
        runs.push_back(Train(global, train).last);
      }
    }
    if (!options.exactly_one) {
      options.as_tables = true;
      Set(&train, "--learner al --step pairwise");
      runs.push_back(Train(Problem(RandomGlobalProblem(seed, options), lambda), train).last);
    }
    CAPTURE(trial);
    for (const ProgressRecord& a : runs) {
      CHECK(std::isfinite(a.primal));
      // All runs solve one problem: no lower bound exceeds any upper bound.
      for (const ProgressRecord& b : runs)
        CHECK(a.dual <= b.primal + kTight * (1 + std::abs(b.primal)));
    }
  }
}

TEST_CASE("many labels with pairs and a count reach a certified gap") {
  // 24 labels of which three or four are on, all pairs, and a factor over all labels with 2^24
  // joint states. Most pairs are inactive: al leaves them out of passes while the global factor
  // sends messages.
  constexpr Index kLabels = 24;
  auto layout = std::make_shared<WeightLayout>();
  const Index unary = layout->AddBlock("unary", kLabels, 6);
  const Index pairs = layout->AddBlock("pairs", kLabels * (kLabels - 1) / 2);
  const Index count = layout->AddBlock("count", kLabels + 1);
  ModelBuilder builder(layout);
  std::vector<Index> all;
  Index pair = 0;
  const TableFactor both({2, 2}, 1, StateMap{{kAbsent, kAbsent, kAbsent, 0}, {}});
  for (Index i = 0; i < kLabels; ++i) {
    all.push_back(builder.AddVariable(2));
    builder.AddLinearFeatures(i, unary, 0, std::vector<Index>{kAbsent, i});
    for (Index j = 0; j < i; ++j) builder.AddFactor({j, i}, both, pairs, pair++);
  }
  builder.AddGlobalFactor(all, std::make_shared<CardinalityFactor>(kLabels), count);
  const auto structure = builder.Build();
  Random random(9);
  auto rows = std::make_shared<FeatureRows>();
  Dataset data(layout, rows);
  std::vector<std::vector<Index>> labels;
  for (int m = 0; m < 20; ++m) {
    std::vector<double> x = Normals(random, 6);
    rows->AddDense(x);
    labels.emplace_back(kLabels, 0);
    for (std::uint64_t k = 0; k < 3 + random.Below(2); ++k)
      labels.back()[((x[0] > 0 ? 0 : 12) + 3 * k + random.Below(3)) % kLabels] = 1;
  }
  for (Index m = 0; m < 20; ++m) data.Add(structure, labels[m], m);
  const Problem problem(MakeTrainingSet(data, LossOptions()), 0.05);

  std::vector<ProgressRecord> runs;
  for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
    // Single steps sum the messages of their variable anew, which is slow: the tolerance is wider.
    const double tolerance = order == OrderKind::kUniform ? 0.1 : 1e-2;
    TrainOptions options = Options(LearnerKind::kAuto, StepKind::kAuto, tolerance);
    options.absolute_gap = 0;
    options.order = order;
    const TrainSummary summary = TrainVerified(problem, options).summary;
    CHECK(summary.termination == Termination::kConverged);
    CHECK(summary.last.relative_gap <= 1.01 * tolerance);
    runs.push_back(summary.last);
  }
  for (const ProgressRecord& a : runs) {
    for (const ProgressRecord& b : runs) CHECK(a.dual <= b.primal);
  }
}
