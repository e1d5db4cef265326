// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/example_blocks/prox_sdca_learner.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <Eigen/Dense>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <slackline/learning/example_blocks/point_blocks.h>
#include <slackline/learning/step/feature_bounds.h>
#include <slackline/learning/step/simplex_projection.h>

#include "tests/support/coordinates.h"
#include "tests/support/global_problems.h"
#include "tests/support/learner_checks.h"
#include "tests/support/multiclass_problems.h"
#include "tests/support/prox_reference.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions SdcaOptions(Index step, double gap = 1e-3) {
  TrainOptions options = Options(LearnerKind::kProxSdca, StepKind::kAuto, gap);
  options.oracle = SolverKind::kBruteForce;
  options.own<ProxSdcaOptions>().sdca_step = step;
  return options;
}

/// Small problems; some have variables with one state, ties or repeated examples.
TrainingSet TinyProblem(Random& random, int trial) {
  ProblemOptions shape = RandomOptions(random);
  shape.num_examples = 1 + trial % 3;
  shape.num_variables = 3;
  shape.input_dimension = 2;
  shape.single_states = trial % 4 == 1;
  shape.repeat_examples = trial % 4 == 2;
  shape.whole_inputs = trial % 5 == 3;
  return RandomProblem(random, shape);
}

/// Problems without factors. Variables may share weights.
TrainingSet FreeVariables(Random& random, Index variables, Index examples) {
  ProblemOptions shape = RandomOptions(random);
  shape.num_factors = 0;
  shape.num_variables = variables;
  shape.num_examples = examples;
  shape.max_states = 4;
  return RandomProblem(random, shape);
}

/// The squared largest singular value of X on differences of points, from dense columns φ_i(s) less
/// the mean over the states of variable i.
double DenseStateNorm(const TrainingSet& training, Index m) {
  const ExampleView example = training.data.example(m);
  Eigen::MatrixXd x(training.data.layout().size(), 0);
  for (Index i = 0; i < example.graph().num_variables(); ++i) {
    const Index states = example.graph().cardinality(i);
    Eigen::MatrixXd own(x.rows(), states);
    for (Index s = 0; s < states; ++s) own.col(s) = DenseFeatures(example, i, s);
    own.colwise() -= own.rowwise().mean().eval();
    Eigen::MatrixXd joined(x.rows(), x.cols() + states);
    joined << x, own;
    x = joined;
  }
  const double norm = Eigen::JacobiSVD<Eigen::MatrixXd>(x).singularValues()[0];
  return norm * norm;
}

/// ‖u_m − μ_m‖² for the maximiser u_m = argmax θ·u − (γ/2)‖u‖² at the weights.
double SquaredDistance(const PointBlocks& blocks, Index m) {
  const ExampleView example = blocks.problem().data().example(m);
  std::vector<double> u = CoordinateScoresOf(example, blocks.w());
  const std::span<const double> mu = blocks.marginals(m);
  double squares = 0;
  for (Index i = 0; i < example.graph().num_variables(); ++i) {
    const std::size_t begin = example.graph().state_offset(i);
    const std::span<const double> loss =
        blocks.problem().loss(m).subspan(begin, example.graph().cardinality(i));
    std::vector<double> theta(loss.begin(), loss.end());
    AddPartScores(example, i, u, theta);
    for (double& score : theta) score /= blocks.terms().smoothing;
    ProjectOntoSimplex(theta);
    for (std::size_t s = 0; s < theta.size(); ++s)
      squares += (theta[s] - mu[begin + s]) * (theta[s] - mu[begin + s]);
  }
  return squares;
}

double DualOf(const PointBlocks& blocks) {
  const Problem& problem = blocks.problem();
  return blocks.TotalValue() / problem.size() - Regulariser(problem.lambda(), blocks.w());
}

double PrimalOf(PointBlocks* blocks, ExampleEvaluator* evaluator) {
  double one_norm = 0;
  for (const double w : blocks->w()) one_norm += std::abs(w);
  return Regulariser(blocks->problem().lambda(), blocks->w()) + blocks->terms().l1 * one_norm +
         blocks->MeanHinges(blocks->w(), evaluator, 1).mean;
}

/// Σ_i (‖X_i‖² − γ(1 − s)λn/s) ‖u_i − α_i‖²/n, G of Lemma 1.
double LemmaG(const PointBlocks& blocks, double s) {
  const Problem& problem = blocks.problem();
  FeatureGram gram;
  double sum = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const double norm = SquaredStateNorm(problem.data().example(m), &gram);
    sum += (norm - blocks.terms().smoothing * (1 - s) * problem.lambda_m() / s) *
           SquaredDistance(blocks, m);
  }
  return sum / problem.size();
}

}  // namespace

TEST_CASE("with line search and an l2 regulariser it is block-coordinate Frank-Wolfe") {
  Random random(1);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.05);
    TrainOptions options = SdcaOptions(2);
    options.order = trial % 2 == 0 ? OrderKind::kExample : OrderKind::kUniform;
    options.average = trial % 3 == 0 ? AverageKind::kWeighted : AverageKind::kAuto;
    const auto sdca = MakeLearner(problem, options);
    options = Options(LearnerKind::kBcfw, StepKind::kFrankWolfe, 1e-3);
    options.oracle = SolverKind::kBruteForce;
    options.order = trial % 2 == 0 ? OrderKind::kExample : OrderKind::kUniform;
    options.average = trial % 3 == 0 ? AverageKind::kWeighted : AverageKind::kAuto;
    const auto bcfw = MakeLearner(problem, options);
    for (int pass = 0; pass < 70; ++pass) {
      sdca->RunPass(kNever);
      bcfw->RunPass(kNever);
      const Evaluation a = sdca->Evaluate(1);
      const Evaluation b = bcfw->Evaluate(1);
      CHECK(a.primal == b.primal);
      CHECK(a.dual == b.dual);
      CHECK(LargestDifference(sdca->weights(), bcfw->weights()) == 0);
    }
  }
}

TEST_CASE("elastic net and smoothing bracket the optimum of a quadratic program") {
  Random random(2);
  for (int trial = 0; trial < 12; ++trial) {
    const TrainingSet training = TinyProblem(random, trial);
    const double lambda = trial % 2 == 0 ? 0.1 : 0.5;
    const double l1 = trial % 3 == 0 ? 0.0 : 0.01 * (1 + trial % 4);
    const double smoothing = trial % 3 == 1 ? 0.0 : 0.2;
    const Problem problem(training, lambda);
    const Optimum optimum = SolveProx(training, lambda, l1, smoothing);
    for (const Index step : {1, 2, 3, 4}) {
      TrainOptions options = SdcaOptions(step, step <= 2 ? 5e-3 : 5e-2);
      options.l1 = l1;
      options.smoothing = smoothing;
      options.max_passes = 3000;
      options.average = trial % 2 == 0 ? AverageKind::kWeighted : AverageKind::kAuto;
      options.own<ProxSdcaOptions>().random_output = trial % 4 == 0;
      const Run run = TrainOn(problem, options, optimum.value);
      CAPTURE(trial);
      CAPTURE(step);
      CheckConverged(run);
      // Strong convexity: λ/2 ‖w − w*‖² ≤ P(w) − P*.
      const double distance = LargestDifference(run.summary.weights, optimum.weights);
      CHECK(0.5 * lambda * distance * distance <= run.summary.last.gap + 1e-6);
    }
  }
}

TEST_CASE("fractional corners smooth the relaxation") {
  Random random(13);
  for (int trial = 0; trial < 6; ++trial) {
    // On chains the relaxation is tight, and its optimum is the reference; with cycles its optimum
    // is above the reference.
    const bool cycles = trial % 2 == 1;
    const TrainingSet training = RandomMultiLabelProblem(random, 4, 3, 2, cycles);
    const Problem problem(training, 0.05);
    TrainOptions options =
        With(SdcaOptions(2, 5e-3), "--oracle roof --l1 0.01 --smoothing 0.2 --max-passes 3000");
    const double exact = SolveProx(training, 0.05, options.l1, options.smoothing).value;
    const TrainSummary summary = Train(problem, options);
    CHECK(summary.last.problem == CertifiedProblem::kRelaxed);
    CHECK(summary.termination == Termination::kConverged);
    CHECK(summary.last.primal >= exact - kSolver);
    if (!cycles) CHECK(summary.last.dual <= exact + kSolver);
  }
}

TEST_CASE("examples without factors use the gradient of the smoothed loss") {
  Random random(3);
  for (int trial = 0; trial < 4; ++trial) {
    const MulticlassProblem multiclass = RandomMulticlassProblem(random, 8, 3, 4);
    const double l1 = trial % 2 == 0 ? 0.0 : 0.05;
    const Problem problem(multiclass.training, 0.1);
    const Optimum optimum = SolveProx(multiclass.training, 0.1, l1, 0.3);
    for (const Index step : {1, 2, 3, 4, 5}) {
      TrainOptions options = SdcaOptions(step, 1e-8);
      options.l1 = l1;
      options.smoothing = 0.3;
      const Run run = TrainOn(problem, options, optimum.value);
      CAPTURE(step);
      CheckConverged(run);
      CHECK(run.summary.last.pass < 1000);  // linear convergence
      CHECK(LargestDifference(run.summary.weights, optimum.weights) < 1e-3);
    }
  }
}

TEST_CASE("larger l1 leaves fewer weights") {
  Random random(5);
  const Problem problem(RandomMultiLabelProblem(random, 20, 4, 6, true), 0.05);
  std::ptrdiff_t before = static_cast<std::ptrdiff_t>(problem.num_weights()) + 1;
  for (const double l1 : {0.0, 0.01, 0.05, 10.0}) {
    TrainOptions options = SdcaOptions(2, 1e-2);
    options.l1 = l1;
    const TrainSummary summary = Train(problem, options);
    const auto nonzero = static_cast<std::ptrdiff_t>(summary.weights.size()) -
                         std::count(summary.weights.begin(), summary.weights.end(), 0.0);
    CHECK(nonzero <= before);
    before = nonzero;
    if (l1 == 0.05) CHECK(nonzero < static_cast<std::ptrdiff_t>(summary.weights.size()));
  }
  CHECK(before == 0);  // a larger l1 term than the largest entry of the gradient at zero
}

TEST_CASE("the dual never falls, and runs resume bit for bit") {
  Random random(6);
  for (int trial = 0; trial < 10; ++trial) {
    const Problem problem(TinyProblem(random, trial), trial % 2 == 0 ? 0.1 : 1e-3);
    TrainOptions options = SdcaOptions(1 + trial % 4);
    options.l1 = trial % 3 == 0 ? 0.0 : 0.01;
    options.smoothing = trial % 3 == 1 ? 0.0 : 0.1;
    Set(&options, "--average suffix --random-output on");
    options.order = trial % 2 == 0 ? OrderKind::kExample : OrderKind::kUniform;
    CheckDualNeverFalls(problem, options, 70, 1e-10);
    CheckTakeOver(problem, options, {70, 5, [](Learner& evaluated) { evaluated.Evaluate(1); }});
  }
}

TEST_CASE("paths over lambda keep the bracket") {
  Random random(7);
  for (int trial = 0; trial < 6; ++trial) {
    const TrainingSet training = TinyProblem(random, trial);
    TrainOptions options = SdcaOptions(2);
    options.l1 = trial % 2 == 0 ? 0.0 : 0.02;
    options.smoothing = trial % 3 == 0 ? 0.0 : 0.1;
    const Problem first(training, 1.0);
    const double optimum = SolveProx(training, 0.05, options.l1, options.smoothing).value;
    CHECK(CheckPath(first, first.WithLambda(0.05), options, optimum, 20, 300, 0.1).dual >= -1e-12);
  }
}

TEST_CASE("certificates with an l1 term are verified") {
  Random random(8);
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(TinyProblem(random, trial), 0.1);
    TrainOptions options = With(SdcaOptions(2, 1e-2), "--l1 0.02");
    const VerifiedRun run = CheckVerifies(problem, options, options.max_passes);
    CHECK(run.verification.dual_proved);
    ProgressRecord wrong = run.summary.last;
    wrong.primal *= 0.99;
    if (wrong.primal >= 1e-6) CheckFails(problem, options, run, wrong);
  }
}

TEST_CASE("refusals say what to use") {
  Random random(9);
  const Problem problem(RandomMultiLabelProblem(random, 4, 3, 2, true), 0.1);
  TrainOptions options = SdcaOptions(5);
  CHECK(RefusalOf(problem, options).find("--sdca-step 5 needs --smoothing") != std::string::npos);
  options.smoothing = 0.1;
  CHECK(RefusalOf(problem, options).find("without factors") != std::string::npos);
  options = Options(LearnerKind::kBcfw, StepKind::kAuto, 1e-3);
  options.l1 = 0.1;
  CHECK(RefusalOf(problem, options).find("--l1") != std::string::npos);
}

TEST_CASE("notes say which objective is reported") {
  Random random(10);
  const Problem problem(RandomMultiLabelProblem(random, 4, 3, 2, true), 0.1);
  TrainOptions options = With(SdcaOptions(2, 0), "--max-passes 10");
  CHECK(Train(problem, options).notes.empty());
  options.l1 = 0.1;
  const TrainSummary summary = Train(problem, options);
  REQUIRE(summary.notes.size() == 1);
  CHECK(summary.notes[0].find("l1") != std::string::npos);
}

TEST_CASE("feature bounds hold for all labellings") {
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.num_variables = 3;
    shape.potentials = trial % 2 == 0;
    const TrainingSet training = RandomProblem(random, shape);
    for (Index m = 0; m < training.data.size(); ++m) {
      const ExampleView example = training.data.example(m);
      const double bound = SquaredFeatureRange(example);
      for (int pair = 0; pair < 20; ++pair) {
        Eigen::VectorXd difference = Eigen::VectorXd::Zero(training.data.layout().size());
        for (const double sign : {1.0, -1.0}) {
          std::vector<Index> states;
          for (const Index k : example.graph().cardinalities())
            states.push_back(static_cast<Index>(random.Below(static_cast<std::uint64_t>(k))));
          for (Index a = 0; a < example.graph().num_parts(); ++a) {
            const Index n = example.graph().num_variables();
            const Index state = a < n ? states[a] : JointState(example.graph(), a - n, states);
            difference += sign * DenseFeatures(example, a, state);
          }
        }
        CHECK(difference.squaredNorm() <= bound * (1 + 1e-12));
      }
    }
  }
  const MulticlassProblem multiclass = RandomMulticlassProblem(random, 1, 3, 4);
  const double norm = multiclass.rows->row(0).squared_norm;
  FeatureGram gram;
  CHECK(Near(SquaredStateNorm(multiclass.training.data.example(0), &gram), norm, kExact));
  CHECK(Near(SquaredFeatureRange(multiclass.training.data.example(0)), 2 * norm, kExact));
}

TEST_CASE("feature bounds count global factors") {
  Random random(13);
  int reached = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const GlobalProblemOptions shape{.num_examples = 1,
                                     .num_pairs = static_cast<Index>(seed % 3),
                                     .chain = seed % 2 == 0,
                                     .copies = 2,
                                     .input_scale = 0.1};
    const TrainingSet training = RandomGlobalProblem(seed, shape);
    const ExampleView example = training.data.example(0);
    const double bound = SquaredFeatureRange(example);
    double most = 0;
    for (int pair = 0; pair < 100; ++pair) {
      std::vector<double> weights(training.data.layout().size(), 0.0);
      std::vector<double> q(example.structure().num_coordinates(), 0.0);
      for (const double sign : {1.0, -1.0}) {
        std::vector<Index> labels(shape.num_variables);
        for (Index& label : labels) label = static_cast<Index>(random.Below(2));
        AddLabellingFeatures(example, labels, sign, q);
      }
      ScatterFeatures(example, q, 1, weights);
      double squares = 0;
      for (const double w : weights) squares += w * w;
      most = std::max(most, squares);
    }
    CAPTURE(seed);
    CHECK(most <= bound * (1 + kExact));
    reached += most >= 0.1 * bound ? 1 : 0;
  }
  CHECK(reached >= 6);
}

TEST_CASE("the norm of a whole example is the largest singular value") {
  Random random(31);
  FeatureGram gram;
  int joined = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const TrainingSet training = FreeVariables(random, 1 + trial % 4, 2);
    for (Index m = 0; m < training.data.size(); ++m) {
      const ExampleView example = training.data.example(m);
      const double norm = SquaredStateNorm(example, &gram);
      CAPTURE(trial);
      CHECK(Near(norm, DenseStateNorm(training, m), kTight));
      joined += norm > 0 && example.graph().num_variables() > 1;
    }
  }
  CHECK(joined > 20);
  // Labels with weights of their own, as in multi-label models: half of ‖x‖², however many labels
  // there are, where the sum over labels would be that many times larger.
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("rows", 14, 5);
  const Index tied = layout->AddBlock("tied", 1, 5);
  for (const bool own_rows : {true, false}) {
    for (const Index count : {14, 40}) {
      if (own_rows && count > 14) continue;
      FactorGraphBuilder graph;
      for (Index i = 0; i < count; ++i) graph.AddVariable(2);
      StructureBuilder builder(graph.Build(), layout);
      for (Index i = 0; i < count; ++i) {
        builder.AddLinear(i, own_rows ? block : tied, 0,
                          builder.AddStateMap({{kAbsent, own_rows ? i : 0}, {}}));
      }
      auto rows = std::make_shared<FeatureRows>();
      rows->AddDense(std::vector<double>{1, -2, 0.5, 0, 1});
      Dataset data(layout, rows);
      data.Add(builder.Build(), std::vector<Index>(count, 0), 0);
      const TrainingSet training = MakeTrainingSet(data, {});
      const double norm = SquaredStateNorm(training.data.example(0), &gram);
      const double squared = rows->row(0).squared_norm;
      CHECK(Near(norm, (own_rows ? 1 : count) * squared / 2, kTight));
      CHECK(Near(norm, DenseStateNorm(training, 0), kTight));
    }
  }
  // Seventy states that share three rows: the sum over states, which is an upper bound.
  FactorGraphBuilder graph;
  graph.AddVariable(70);
  StructureBuilder builder(graph.Build(), layout);
  std::vector<Index> shared(70);
  for (Index s = 0; s < 70; ++s) shared[s] = s % 3;
  builder.AddLinear(0, block, 0, builder.AddStateMap({shared, {}}));
  auto rows = std::make_shared<FeatureRows>();
  rows->AddDense(std::vector<double>{1, 1, 0, 0, 2});
  Dataset data(layout, rows);
  data.Add(builder.Build(), std::vector<Index>{0}, 0);
  const TrainingSet training = MakeTrainingSet(data, {});
  CHECK(Near(SquaredStateNorm(training.data.example(0), &gram), 70 * 6, kTight));
  CHECK(DenseStateNorm(training, 0) <= 70 * 6);
}

TEST_CASE("lemma 1: the expected gain of a step, for every step option") {
  // Shalev-Shwartz and Zhang 2012, Lemma 1: for every s in [0, 1], E[D(α^t) − D(α^(t−1))] ≥ s/n ·
  // (P − D) − (s/n)² G/(2λ). All draws are tried.
  Random random(32);
  for (int trial = 0; trial < 6; ++trial) {
    const bool multiclass = trial % 2 == 0;
    const TrainingSet training = multiclass ? RandomMulticlassProblem(random, 5, 3, 4).training
                                            : FreeVariables(random, 3, 4);
    const double lambda = trial < 3 ? 0.05 : 0.5;
    const double l1 = trial % 3 == 2 ? 0.02 : 0.0;
    const double gamma = 0.4;
    const Problem problem(training, lambda);
    const double n = problem.size();
    ExampleOracle oracle(
        problem, {.solver = SolverKind::kBruteForce, .ways = ExampleOracle::Ways::kSolvers});
    ExampleEvaluator evaluator(
        problem, {.solver = SolverKind::kBruteForce, .ways = ExampleOracle::Ways::kSolvers});
    FeatureGram gram;
    double largest = 0;
    for (Index m = 0; m < problem.size(); ++m)
      largest = std::max(largest, SquaredStateNorm(problem.data().example(m), &gram));
    for (Index step = 1; step <= 5; ++step) {
      PointBlocks blocks(problem, {.l1 = l1, .smoothing = gamma, .step = step}, &oracle);
      REQUIRE(blocks.projects());
      for (int t = 0; t < 12; ++t) {
        const double dual = DualOf(blocks);
        const double gap = PrimalOf(&blocks, &evaluator) - dual;
        double gain = 0;
        for (Index m = 0; m < problem.size(); ++m) {
          PointBlocks moved = blocks;
          moved.Visit(m);
          gain += (DualOf(moved) - dual) / n;
        }
        const auto least = [&](double s) {
          return s / n * gap - s / n * (s / n) * LemmaG(blocks, s) / (2 * lambda);
        };
        const double fixed = problem.lambda_m() * gamma / (largest + problem.lambda_m() * gamma);
        CAPTURE(trial);
        CAPTURE(step);
        // Steps 4 and 5 are those of one s for all examples; the others are at least as good as
        // every s.
        for (const double s : {0.01, 0.1, 0.3, 0.7, 1.0}) {
          if (step <= 3) CHECK(gain >= least(s) - kTight);
        }
        CHECK(gain >= least(fixed) - kTight);
        // Without l1, and where ‖X_i z‖ = ‖X_i‖ ‖z‖ for all z, the lemma is an equation for the
        // step s itself.
        if (step == 5 && multiclass && l1 == 0) CHECK(Near(gain / gap, least(fixed) / gap, kTight));
        blocks.Visit(static_cast<Index>(random.Below(static_cast<std::uint64_t>(problem.size()))));
      }
    }
  }
}
