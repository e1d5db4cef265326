// SPDX-License-Identifier: BSD-3-Clause
//
// Training with forbidden states: the optimum is the one over the allowed labellings, or over the
// points of the local polytope without forbidden states; certificates hold.
#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/decode.h>
#include <slackline/learning/auto/choose_learner.h>
#include <slackline/learning/factor_blocks/factor_learner.h>
#include <slackline/learning/run/fingerprint.h>

#include "tests/core/messages.h"
#include "tests/support/learner_checks.h"
#include "tests/support/random_models.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

constexpr double kGap = 1e-6;  // requested gap of the runs below, relative to the objective

Problem ForbiddenProblem(Random& random, bool forest) {
  ProblemOptions options = RandomOptions(random);
  options.num_variables = std::max(options.num_variables, 2);
  options.num_factors = forest ? std::max(options.num_factors, 1) : 6;
  options.num_examples = 1 + static_cast<Index>(random.Below(3));
  options.forest = forest;
  options.mixed_sizes = false;
  options.forbidden = true;
  options.unlabelled = random.Below(3) == 0;
  return Problem(RandomProblem(random, options), random.Below(2) == 0 ? 0.05 : 0.5);
}

TrainOptions BlockOptions(StepKind step, SolverKind oracle) {
  return {.learner = LearnerKind::kBcfw,
          .step = step,
          .oracle = oracle,
          .gap_tolerance = kGap,
          .absolute_gap = 1e-9,
          .max_passes = step == StepKind::kFrankWolfe ? 300 : 5000};
}

class Watcher : public TrainObserver {
 public:
  void OnCheck(const ProgressRecord& record) override { CHECK(record.dual <= record.primal); }
};

/// Trains, and compares the figures with enumeration and quadratic programs. relaxed: the optimum
/// of the relaxation, where the oracle may train that.
void CheckTraining(const Problem& problem, const TrainOptions& options, double exact,
                   std::optional<double> relaxed = {}) {
  Watcher watcher;
  const VerifiedRun run = TrainVerified(problem, options, &watcher);
  CHECK(run.verification.dual_proved);
  const TrainSummary& summary = run.summary;
  CAPTURE(summary.message);
  if (options.step != StepKind::kFrankWolfe) CHECK(summary.termination == Termination::kConverged);
  const bool on_labellings = summary.last.problem == CertifiedProblem::kExact;
  if (!relaxed) CHECK(on_labellings);
  const double optimum = on_labellings ? exact : *relaxed;
  CHECK(summary.last.dual <= optimum + kSolver);
  CHECK(summary.last.primal >= optimum - kSolver);
  const double primal = ExactPrimal(problem.training(), problem.lambda(), summary.weights);
  CHECK(primal <= summary.last.primal + kTight);
  if (on_labellings) CHECK(Near(primal, summary.last.primal, kTight));
}

/// Chains of `length` labels B, I, O with random, uninformative inputs; I follows only B or I.
struct Chunks {
  explicit Chunks(Random& random, Index examples, Index length) {
    layout->AddBlock("labels", 3, 3);
    layout->AddBlock("pairs", 9);
    ModelBuilder builder(layout);
    const FactorType pair = builder.Register(TableFactor({3, 3}));
    for (Index i = 0; i < length; ++i) {
      builder.AddVariable(3);
      builder.AddLinearFeatures(i, 0, i);
      if (i == 0) builder.ForbidStates(0, {false, true, false});
      if (i == 0) continue;
      std::vector<bool> forbidden(9, false);
      forbidden[2 * 3 + 1] = true;
      builder.ForbidFactorStates(builder.AddFactor({i - 1, i}, pair, 1), forbidden);
    }
    structure = builder.Build();
    auto inputs = std::make_shared<FeatureRows>();
    std::vector<std::vector<Index>> labels;
    for (Index m = 0; m < examples; ++m) {
      labels.emplace_back();
      for (Index i = 0; i < length; ++i) {
        const bool inside = i > 0 && labels.back().back() != 2;
        const Index label =
            inside ? static_cast<Index>(random.Below(3)) : 2 * static_cast<Index>(random.Below(2));
        labels.back().push_back(label);
        std::vector<double> x = {1, 0.3 * random.Normal(), 2 * random.Normal()};
        x[1] += label == 1 ? 1 : 0;
        inputs->AddDense(x);
      }
    }
    rows = inputs;
    data = std::make_unique<Dataset>(layout, rows);
    for (Index m = 0; m < examples; ++m) data->Add(structure, labels[m], m * length);
  }
  std::shared_ptr<WeightLayout> layout = std::make_shared<WeightLayout>();
  std::shared_ptr<const Structure> structure;
  std::shared_ptr<const FeatureRows> rows;
  std::unique_ptr<Dataset> data;
};

/// Two binary variables; the states and the pair have separate weights. (1, 1) is forbidden, and
/// the ground truth is `given`.
Problem PairProblem(const std::vector<Index>& given) {
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("w", 3);
  FactorGraphBuilder graph;
  graph.AddVariables(2, 2);
  graph.AddFactor({0, 1});
  StructureBuilder builder(graph.Build(), layout);
  const Index on = builder.AddStateMap({{kAbsent, 0}, {}});
  builder.AddConstant(0, 0, on, 0);
  builder.AddConstant(1, 0, on, 1);
  builder.AddConstant(2, 0, builder.AddStateMap({{kAbsent, kAbsent, kAbsent, 0}, {}}), 2);
  builder.ForbidStates(2, {false, false, false, true});
  Dataset data(layout, nullptr);
  data.Add(builder.Build(), given);
  return Problem(MakeTrainingSet(data, {}), 1);
}

/// A source that claims the given dual point.
class Claimant : public DualPointSource {
 public:
  Claimant(std::vector<double> q, double loss) : q_(std::move(q)), loss_(loss) {}
  bool DualPoint(Index /*m*/, std::vector<double>* coordinates, double* loss) const override {
    *coordinates = q_;
    *loss = loss_;
    return true;
  }

 private:
  std::vector<double> q_;
  double loss_;
};

}  // namespace

TEST_CASE("training reaches the optimum over allowed labellings") {
  Random random(91);
  int differs = 0;
  for (int trial = 0; trial < 16; ++trial) {
    CAPTURE(trial);
    const Problem problem = ForbiddenProblem(random, true);
    const Optimum optimum = SolveExact(problem.training(), problem.lambda());
    CHECK(Near(ExactPrimal(problem.training(), problem.lambda(), optimum.weights), optimum.value,
               kSolver));
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway, StepKind::kFrankWolfe}) {
      for (const SolverKind oracle : {SolverKind::kAuto, SolverKind::kTree, SolverKind::kBruteForce,
                                      SolverKind::kBranchAndBound})
        CheckTraining(problem, BlockOptions(step, oracle), optimum.value);
    }
    const TrainOptions automatic{.gap_tolerance = kGap, .max_passes = 5000};
    CheckTraining(problem, automatic, optimum.value);
    const std::vector<double> zero(problem.num_weights(), 0.0);
    const double at_zero = ExactPrimal(problem.training(), problem.lambda(), zero);
    CHECK(Near(PrimalAtZeroWeights(problem), at_zero, kExact));
    double largest = 0;  // the mean loss if all labellings were allowed
    for (Index m = 0; m < problem.size(); ++m) {
      const FactorGraph& graph = problem.data().example(m).graph();
      for (Index i = 0; i < graph.num_variables(); ++i) {
        const auto table = problem.loss(m).subspan(graph.state_offset(i), graph.cardinality(i));
        largest += *std::max_element(table.begin(), table.end()) / problem.size();
      }
    }
    differs += at_zero < largest - kSolver;
  }
  CHECK(differs > 0);
}

TEST_CASE("factors that share weights may forbid different states") {
  // Forbidden: (0, 1) in the first factor, (1, 0) in the second.
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("w", 4);
  ModelBuilder builder(layout);
  for (int i = 0; i < 3; ++i) builder.AddVariable(2);
  for (Index c = 0; c < 2; ++c) {
    builder.AddFactor({c, c + 1}, TableFactor({2, 2}), 0);
    builder.ForbidFactorStates(c, {false, c == 0, c == 1, false});
  }
  Dataset data(layout, nullptr);
  const std::shared_ptr<const Structure> structure = builder.Build();
  data.Add(structure, std::vector<Index>{1, 0, 1});
  data.Add(structure, std::vector<Index>{0, 0, 0});
  const Problem problem(MakeTrainingSet(data, {}), 0.1);
  CheckTraining(problem, BlockOptions(StepKind::kPairwise, SolverKind::kAuto),
                ExactOptimum(problem.training(), problem.lambda()));
}

TEST_CASE("multi-label models with forbidden states do not use the fast path") {
  // With a strong regulariser (1, 1) would have the largest hinge at the optimum.
  const Problem problem = PairProblem({0, 0}).WithLambda(4);
  CheckTraining(problem, BlockOptions(StepKind::kPairwise, SolverKind::kAuto),
                ExactOptimum(problem.training(), problem.lambda()));
}

TEST_CASE("with cycles every oracle trains, on labellings or on the relaxation") {
  Random random(92);
  int gaps = 0;
  for (int trial = 0; trial < 12; ++trial) {
    CAPTURE(trial);
    const Problem problem = ForbiddenProblem(random, false);
    const double exact = ExactOptimum(problem.training(), problem.lambda());
    const double relaxed = RelaxedOptimum(problem.training(), problem.lambda());
    CHECK(relaxed >= exact - kSolver);
    gaps += relaxed > exact + 1e-3;
    std::vector<SolverKind> oracles = {SolverKind::kBruteForce, SolverKind::kBranchAndBound,
                                       SolverKind::kMessagesBranchAndBound};
    // Without GLPK, auto is message passing, with which training need not reach the gap.
    if (HasGlpk()) {
      oracles.insert(oracles.end(), {SolverKind::kAuto, SolverKind::kLp, SolverKind::kLpPolytope});
    }
    const auto& structures = problem.data().structures();
    if (std::all_of(structures.begin(), structures.end(),
                    [](const auto& structure) { return IsBinaryPairwise(structure->graph()); }))
      oracles.push_back(SolverKind::kRoof);
    for (const SolverKind oracle : oracles) {
      CAPTURE(SolverKindName(oracle));
      CheckTraining(problem, BlockOptions(StepKind::kPairwise, oracle), exact, relaxed);
    }
  }
  CHECK(gaps > 0);
}

TEST_CASE("learners that need all states leave out forbidden states of variables") {
  Random random(95);
  int forbidden = 0;
  int potentials = 0;
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    ProblemOptions shape = RandomOptions(random);
    shape.num_variables = std::max(shape.num_variables, 2);
    shape.num_factors = 6;
    shape.mixed_sizes = false;
    shape.forbidden = shape.forbidden_variables = true;
    const Problem problem(RandomProblem(random, shape), random.Below(2) == 0 ? 0.05 : 0.5);
    if (!HasForbiddenStates(problem.data())) continue;
    ++forbidden;
    potentials += shape.potentials ? 1 : 0;
    const double exact = ExactOptimum(problem.training(), problem.lambda());
    const double relaxed = RelaxedOptimum(problem.training(), problem.lambda());
    for (const LearnerKind learner :
         {LearnerKind::kAugmentedLagrangian, LearnerKind::kPdhg, LearnerKind::kSoft}) {
      CAPTURE(std::string(Name(learner)));
      const TrainOptions options{.learner = learner,
                                 .gap_tolerance = 1e-2,
                                 .max_passes = learner == LearnerKind::kSoft ? 20 : 20000};
      const TrainSummary summary = TrainVerified(problem, options).summary;
      if (learner != LearnerKind::kSoft) CHECK(summary.termination == Termination::kConverged);
      CHECK(summary.last.problem == CertifiedProblem::kRelaxed);
      CHECK(summary.last.dual <= relaxed + kSolver);
      CHECK(summary.last.primal >= relaxed - kSolver);
      CHECK(summary.last.primal >= exact - kSolver);
    }
    // `auto` may take the saddle point, and options of factor blocks lead to these.
    TrainOptions options{.gap_tolerance = 1e-2};
    CHECK(Train(problem, options).last.dual <= relaxed + kSolver);
    options.own<PenaltyOptions>().rho = 1;
    CHECK(ChooseLearner(problem, options).options.learner == LearnerKind::kAugmentedLagrangian);
  }
  CHECK(forbidden > 20);
  CHECK(potentials > 0);
}

TEST_CASE("learners on factor blocks refuse forbidden joint states") {
  Random random(93);
  const Chunks chunks(random, 4, 5);
  const Problem problem(MakeTrainingSet(*chunks.data, {}), 0.1);
  const LearnerChoice choice = ChooseLearner(problem, {});
  CHECK(choice.options.learner == LearnerKind::kBcfw);
  CHECK(Contains(choice.reason, "oracle dynamic programming"));
  TrainOptions options;
  for (const LearnerKind learner : {LearnerKind::kSoft, LearnerKind::kAugmentedLagrangian}) {
    options.learner = learner;
    CHECK(Contains(RefusalOf(problem, options), "use --learner bcfw"));
  }
}

TEST_CASE("global factors beside forbidden states are refused") {
  auto layout = std::make_shared<WeightLayout>();
  layout->AddBlock("w", 2);
  ModelBuilder builder(layout);
  for (int i = 0; i < 3; ++i) builder.AddVariable(2);
  builder.AddGlobalFactor(std::vector<Index>{0, 1, 2},
                          std::make_shared<CardinalityFactor>(CardinalityFactor::AtMostOne(3)));
  builder.ForbidStates(1, {false, true});
  Dataset data(layout, nullptr);
  data.Add(builder.Build(), std::vector<Index>{0, 0, 1});
  const Problem problem(MakeTrainingSet(data, {}), 1);
  for (const LearnerKind learner : {LearnerKind::kAuto, LearnerKind::kSoft, LearnerKind::kBcfw}) {
    CHECK(Contains(RefusalOf(problem, {.learner = learner}), "global"));
  }
}

TEST_CASE("forbidden transitions are not predicted, and long chains are verified") {
  Random random(94);
  const Chunks chunks(random, 20, 25);
  const Problem problem(MakeTrainingSet(*chunks.data, {}), 0.01);
  const TrainOptions options{.gap_tolerance = 1e-3};
  const VerifiedRun run = TrainVerified(problem, options);
  const TrainSummary& summary = run.summary;
  CHECK(summary.termination == Termination::kConverged);
  CHECK(run.verification.solvers == "tree");
  // Even with a large weight on a forbidden transition.
  std::vector<double> weights = summary.weights;
  const WeightBlock& pairs = chunks.layout->block(1);
  weights[pairs.at(2 * 3 + 1, 0)] += 100;
  Decoder decoder(DecodeKind::kAuto, chunks.structure->shared_graph());
  std::vector<double> scores(chunks.structure->graph().total_states());
  MapResult result;
  for (Index m = 0; m < chunks.data->size(); ++m) {
    for (const std::vector<double>& w : {summary.weights, weights}) {
      ScoreTables(chunks.data->example(m), w, scores);
      decoder.Decode(scores, &result);
      CHECK(FirstForbiddenPart(*chunks.structure, result.labels) == -1);
      CHECK(result.exact);
    }
  }
}

TEST_CASE("an example with forbidden labels is refused") {
  Random random(95);
  Chunks chunks(random, 1, 4);
  chunks.data->Add(chunks.structure, std::vector<Index>{2, 1, 1, 2}, 0);
  CHECK(Contains(MessageOf<std::invalid_argument>([&] { MakeTrainingSet(*chunks.data, {}); }),
                 "the given labels of example 1 are forbidden by the states of factor 0"));
}

TEST_CASE("dual points on forbidden states are not verified") {
  const Problem problem = PairProblem({0, 1});
  const std::vector<double> zero(3, 0.0);
  ProgressRecord claim{.problem = CertifiedProblem::kExact};
  claim.primal = 1;  // the labelling (1, 0) is allowed and wrong in both variables
  claim.dual = 0;
  const auto verify = [&](const std::vector<double>& q, double loss) {
    const Claimant claimant(q, loss);
    return VerifyCertificate(problem, zero, claim, {}, &claimant);
  };
  CHECK(Near(PrimalAtZeroWeights(problem), 1, kExact));
  CHECK(verify({0.5, 0.5, 0}, 0.5).outcome == VerifyOutcome::kHolds);
  const Verification forbidden = verify({1, 1, 1}, 0.5);
  CHECK(forbidden.outcome == VerifyOutcome::kFails);
  CHECK(Contains(forbidden.message, "the dual point of example 0 is not feasible"));
}

TEST_CASE("with forbidden states other solvers than the oracle verify") {
  Random random(96);
  const auto cycle_of = [](Index n) {
    auto layout = std::make_shared<WeightLayout>();
    layout->AddBlock("w", 1);
    StructureBuilder builder(Cycle(n, 3), layout);
    builder.ForbidStates(0, {false, true, false});
    return builder.Build();
  };
  using K = SolverKind;
  const auto kExactProblem = CertifiedProblem::kExact;
  const Chunks small(random, 1, 4);
  const Chunks large(random, 1, 12);
  CHECK(VerifyingSolver(*small.structure, K::kAuto, kExactProblem) == K::kBruteForce);
  CHECK(VerifyingSolver(*small.structure, K::kBruteForce, kExactProblem) == K::kTree);
  CHECK(VerifyingSolver(*large.structure, K::kBranchAndBound, kExactProblem) == K::kTree);
  CHECK(VerifyingSolver(*cycle_of(4), K::kBranchAndBound, kExactProblem) == K::kBruteForce);
  CHECK(VerifyingSolver(*cycle_of(4), K::kBruteForce, kExactProblem) == K::kBranchAndBound);
  CHECK(VerifyingSolver(*cycle_of(12), K::kBranchAndBound, kExactProblem) == K::kBranchAndBound);
}

TEST_CASE("fingerprints depend on forbidden states") {
  const auto problem = [](const std::vector<bool>& forbidden) {
    auto layout = std::make_shared<WeightLayout>();
    layout->AddBlock("w", 4);
    ModelBuilder builder(layout);
    for (int i = 0; i < 2; ++i) builder.AddVariable(2);
    const Index factor = builder.AddFactor({0, 1}, TableFactor({2, 2}), 0);
    if (!forbidden.empty()) builder.ForbidFactorStates(factor, forbidden);
    Dataset data(layout, nullptr);
    data.Add(builder.Build(), std::vector<Index>{0, 0});
    return MakeFingerprint(Problem(MakeTrainingSet(data, {}), 1), {});
  };
  const std::vector<Fingerprint> prints = {problem({}), problem({false, true, false, false}),
                                           problem({false, false, true, false})};
  for (std::size_t a = 0; a < prints.size(); ++a) {
    for (std::size_t b = 0; b < prints.size(); ++b)
      CHECK(Difference(prints[a], prints[b]) == (a == b ? "" : "graphs differ"));
  }
}
