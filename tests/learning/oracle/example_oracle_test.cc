// SPDX-License-Identifier: BSD-3-Clause
//
// Compares every method by which the oracle of the active sets finds corners with enumeration.
#include <slackline/learning/oracle/example_oracle.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <tests/support/states.h>

#include "tests/support/coordinates.h"
#include "tests/support/corner_answers.h"
#include "tests/support/dense_labellings.h"
#include "tests/support/dense_qp.h"
#include "tests/support/losses.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

enum class PairGraph { kAll, kChain };

/// Multi-label models with everything that the fast path supports: constant features of value 1 and
/// of other values, a label without linear features, pair weights in another order than the pairs.
Problem MultiLabelWithConstants(Random& random, Index labels, PairGraph pairs, bool scattered) {
  FactorGraphBuilder graph;
  graph.AddVariables(labels, 2);
  for (Index i = 0; i < labels; ++i) {
    const Index end = pairs == PairGraph::kAll ? labels : std::min(labels, i + 2);
    for (Index j = i + 1; j < end; ++j)
      graph.AddFactor(j % 2 == 0 ? std::vector<Index>{i, j} : std::vector<Index>{j, i});
  }
  const auto layout = std::make_shared<WeightLayout>();
  const Index linear = layout->AddBlock("labels", labels, 3);
  const Index factors = graph.num_factors();
  const Index pair_block = layout->AddBlock("pairs", 2 * factors);
  const Index bias = layout->AddBlock("bias", labels + 1);
  StructureBuilder builder(graph.Build(), layout);
  const Index on = builder.AddStateMap({{kAbsent, 0}, {}});
  const Index half = builder.AddStateMap({{kAbsent, 0}, {0.0, 0.5}});
  const Index both = builder.AddStateMap({{kAbsent, kAbsent, kAbsent, 0}, {}});
  for (Index i = 0; i < labels; ++i) {
    if (i != 1) builder.AddLinear(i, linear, 0, on, i);
    builder.AddConstant(i, bias, i % 2 == 0 ? on : half, i);
    builder.AddConstant(i, bias, half, labels);  // one weight for all labels
  }
  for (Index c = 0; c < factors; ++c)
    builder.AddConstant(labels + c, pair_block, both, scattered ? 2 * (factors - 1 - c) : c);
  const auto structure = builder.Build();
  const auto rows = std::make_shared<FeatureRows>();
  constexpr Index kExamples = 3;
  for (Index m = 0; m < kExamples; ++m)
    rows->AddDense(std::vector<double>{random.Normal(), random.Normal(), random.Normal()});
  Dataset data(layout, rows);
  for (Index m = 0; m < kExamples; ++m) {
    std::vector<Index> chosen(labels);
    for (Index& label : chosen) label = static_cast<Index>(random.Below(2));
    data.Add(structure, chosen, m);
  }
  return {MakeTrainingSet(data, {}), 0.1};
}

}  // namespace

TEST_CASE("roof duality on multi-label models without cycles finds the best labelling") {
  Random random(1);
  for (int trial = 0; trial < 40; ++trial) {
    const Problem problem =
        trial % 2 == 0 ? Problem(RandomMultiLabelProblem(random, 3, 5, 3, false), 0.1)
                       : MultiLabelWithConstants(random, 5, PairGraph::kChain, trial % 4 == 1);
    CAPTURE(trial);
    for (const SolverKind kind : {SolverKind::kAuto, SolverKind::kRoof}) {
      Oracle oracle(problem, kind, Oracle::Effort::kTraining);
      CHECK_FALSE(oracle.relaxed());
      CheckExact(problem, &oracle, SomeWeights(random, problem, trial));
    }
  }
}

TEST_CASE("roof duality on full multi-label models maximises over the local polytope") {
  Random random(2);
  int fractional = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const Problem problem =
        trial % 2 == 0 ? Problem(RandomMultiLabelProblem(random, 3, 4, 3, true), 0.1)
                       : MultiLabelWithConstants(random, 4, PairGraph::kAll, trial % 4 == 1);
    std::vector<double> weights = SomeWeights(random, problem, trial);
    if (trial % 5 == 1) {  // labels that their losses switch on, and that repel each other
      const Offset pairs = problem.data().layout().block(1).offset;
      for (Offset k = 0; k < std::ssize(weights); ++k)
        weights[k] = k < pairs ? 0.02 * weights[k] : -2 * std::abs(weights[k]);
    }
    Oracle oracle(problem, SolverKind::kRoof, Oracle::Effort::kTraining);
    CHECK(oracle.relaxed());
    oracle.Refresh();
    double hinge = 0;
    for (Index m = 0; m < problem.size(); ++m) {
      const Answer answer = AskBoundAndCorner(problem, &oracle, m, weights);
      const Labellings labellings = DenseLabellings(problem, m);
      CAPTURE(trial);
      CAPTURE(m);
      CHECK(Near(answer.bound, answer.value, kTight));
      const double best = LargestScore(labellings, AsVector(weights));
      CHECK(answer.bound >= best - Room(best));
      fractional += IsLabelling(labellings, answer) ? 0 : 1;
      hinge += (answer.bound - TruthScore(problem, m, weights)) / problem.size();
    }
    const double reference = RelaxedPrimal(problem.training(), problem.lambda(), weights);
    CHECK(Near(hinge + Regulariser(problem.lambda(), weights), reference, kSolver));
  }
  CHECK(fractional > 3);
}

TEST_CASE("sums of pair weights updated by single changes equal recomputed ones") {
  constexpr Index kLabels = 30;  // 435 pairs: sums are kept
  constexpr std::size_t kFirstPair = kLabels * 3;
  Random random(3);
  const Problem problem(RandomMultiLabelProblem(random, 2, kLabels, 3, true), 0.1);
  // With strong labels the bounds, which the sums serve, decide most labels.
  for (const double strength : {1.0, 10.0, 50.0}) {
    std::vector<double> weights = SomeWeights(random, problem, 1);
    for (std::size_t k = 0; k < kFirstPair; ++k) weights[k] *= strength;
    Oracle follows(problem, SolverKind::kRoof, Oracle::Effort::kTraining);
    follows.Refresh();
    // Few changes; none; enough to recompute the sums; changes that flip signs or end at zero.
    for (const int changes : {5, 0, 90, 300, 20, 60, 300, 100}) {
      for (int k = 0; k < changes; ++k) {
        const std::size_t position = kFirstPair + random.Below(weights.size() - kFirstPair);
        const double before = weights[position];
        weights[position] = k % 3 == 0 ? 0 : random.Normal();
        follows.WeightChanged(static_cast<Index>(position), before, weights[position]);
      }
      Oracle fresh(problem, SolverKind::kRoof, Oracle::Effort::kTraining);
      fresh.Refresh();
      for (Index m = 0; m < problem.size(); ++m) {
        const std::int64_t work = follows.work();
        const std::int64_t fresh_work = fresh.work();
        const Answer expected = AskBoundAndCorner(problem, &fresh, m, weights);
        const Answer answer = AskBoundAndCorner(problem, &follows, m, weights);
        CAPTURE(changes);
        CAPTURE(strength);
        CHECK(Near(answer.value, expected.value, kTight));
        CHECK(Near(answer.bound, expected.bound, kTight));
        CHECK(Near(answer.value, answer.bound, kTight));
        // Wrong bounds that decide too few labels would only cost time, so work is compared, too.
        CHECK(follows.work() - work == fresh.work() - fresh_work);
      }
    }
  }
}

TEST_CASE("a saved oracle gives the same corners, bit for bit") {
  Random random(4);
  const Problem problem(RandomMultiLabelProblem(random, 2, 30, 3, true), 0.1);
  std::vector<double> weights = SomeWeights(random, problem, 1);
  Oracle first(problem, SolverKind::kRoof, Oracle::Effort::kTraining);
  first.Refresh();
  for (int round = 0; round < 4; ++round) {
    for (int k = 0; k < 40; ++k) {
      const std::size_t position = 90 + random.Below(weights.size() - 90);
      const double before = weights[position];
      weights[position] = random.Normal();
      first.WeightChanged(static_cast<Index>(position), before, weights[position]);
    }
    const std::string saved = StateOf(first);
    Oracle second(problem, SolverKind::kRoof, Oracle::Effort::kTraining);
    LoadAll(saved, second);
    for (Index m = 0; m < problem.size(); ++m) {
      const Answer a = AskBoundAndCorner(problem, &first, m, weights);
      const Answer b = AskBoundAndCorner(problem, &second, m, weights);
      CHECK(a.bound == b.bound);
      CHECK(a.features == b.features);
      CHECK(a.loss == b.loss);
    }
    CHECK(StateOf(second) == StateOf(first));
  }
  Oracle other(problem, SolverKind::kMessages, Oracle::Effort::kTraining);
  const std::string saved = StateOf(first);
  CHECK_THROWS_WITH_AS(LoadAll(saved, other), doctest::Contains("the oracle is another one"),
                       DataError);
}

TEST_CASE("dynamic programming is exact on forests of pairs, with and without forbidden states") {
  Random random(5);
  for (int trial = 0; trial < 60; ++trial) {
    const Problem problem(RandomProblem(random, SmallForest(random, trial)), 0.1);
    CAPTURE(trial);
    for (const SolverKind kind :
         {SolverKind::kAuto, SolverKind::kTree, SolverKind::kMessagesBranchAndBound}) {
      if (kind == SolverKind::kMessagesBranchAndBound && trial % 3 == 1) continue;
      Oracle oracle(problem, kind, Oracle::Effort::kTraining);
      CHECK_FALSE(oracle.relaxed());
      CheckExact(problem, &oracle, SomeWeights(random, problem, trial));
    }
  }
}

TEST_CASE("general solvers are exact on factors of any order") {
  Random random(6);
  for (int trial = 0; trial < 40; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.max_order = 3;
    shape.forbidden = trial % 4 == 3;
    const Problem problem(RandomProblem(random, shape), 0.1);
    std::vector<SolverKind> kinds = {SolverKind::kBruteForce, SolverKind::kBranchAndBound};
    if (shape.forest) kinds.push_back(SolverKind::kTree);
    CAPTURE(trial);
    for (const SolverKind kind : kinds) {
      Oracle oracle(problem, kind, Oracle::Effort::kTraining);
      CHECK_FALSE(oracle.relaxed());
      CheckExact(problem, &oracle, SomeWeights(random, problem, trial));
    }
  }
}

TEST_CASE("linear programs maximise over the local polytope, and their corners reach the bound") {
  if (!HasGlpk()) return;
  Random random(7);
  int fractional = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Problem problem(RandomProblem(random, SmallLoops(random)), 0.1);
    const std::vector<double> weights = SomeWeights(random, problem, trial);
    Oracle oracle(problem, SolverKind::kLp, Oracle::Effort::kTraining);
    CHECK(oracle.relaxed());
    oracle.Refresh();
    double hinge = 0;
    for (Index m = 0; m < problem.size(); ++m) {
      const Answer answer = AskBoundAndCorner(problem, &oracle, m, weights);
      CHECK(Near(answer.bound, answer.value, kTight));
      fractional += IsLabelling(DenseLabellings(problem, m), answer) ? 0 : 1;
      hinge += (answer.bound - TruthScore(problem, m, weights)) / problem.size();
    }
    CAPTURE(trial);
    CHECK(Near(hinge + Regulariser(problem.lambda(), weights),
               RelaxedPrimal(problem.training(), problem.lambda(), weights), kSolver));
  }
  CHECK(fractional > 3);
}

TEST_CASE("slack rescaling multiplies the hinge of a labelling by its loss") {
  Random random(11);
  for (int trial = 0; trial < 40; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.forbidden = trial % 3 == 0;
    const Problem problem(RandomProblem(random, shape), 0.1);
    const std::vector<double> weights = SomeWeights(random, problem, trial);
    Oracle oracle(problem, SolverKind::kAuto, Oracle::Effort::kTraining, Rescaling::kSlack);
    oracle.Refresh();
    CHECK_FALSE(oracle.relaxed());
    for (Index m = 0; m < problem.size(); ++m) {
      const ExampleView example = problem.data().example(m);
      const Eigen::VectorXd truth = DenseFeaturesOf(example, example.labels());
      Labellings scaled = DenseLabellings(problem, m);
      double largest_loss = 0;
      for (DenseLabelling& labelling : scaled) {  // Δ(y)·(1 − w·ψ(y)) + w·φ(ground truth)
        labelling.features = truth - labelling.loss * (truth - labelling.features);
        largest_loss = std::max(largest_loss, labelling.loss);
      }
      const double best = LargestScore(scaled, AsVector(weights));
      const Answer answer = AskBoundAndCorner(problem, &oracle, m, weights);
      CAPTURE(trial);
      CHECK(Near(answer.bound, best, kTight));
      CHECK(Near(answer.value, best, kTight));
      CHECK(Contains(scaled, answer.features, answer.loss, kTight));
      CHECK(oracle.score_factor(m) >= 1 + largest_loss - kExact);
    }
  }
}

TEST_CASE("the loss 1 - F1 is maximised together with the scores") {
  Random random(12);
  for (int trial = 0; trial < 20; ++trial) {
    const TrainingSet plain = RandomMultiLabelProblem(random, 4, 5, 3, false);
    const Problem problem(MakeTrainingSet(plain.data, LossWith(LossForm::kF1)), 0.1);
    CAPTURE(trial);
    Oracle oracle(problem, SolverKind::kAuto, Oracle::Effort::kTraining);
    CHECK(oracle.score_factor(0) == 1);
    CHECK_FALSE(oracle.relaxed());
    CheckExact(problem, &oracle, SomeWeights(random, problem, trial));
  }
}

TEST_CASE("work grows with every call") {
  Random random(13);
  struct Case {
    SolverKind kind;
    Rescaling rescaling;
  };
  const Problem forest(RandomProblem(random, SmallForest(random, 2)), 0.1);
  const Problem labels(RandomMultiLabelProblem(random, 2, 4, 3, true), 0.1);
  for (const Problem* problem : {&forest, &labels}) {
    for (const Case& c : {Case{SolverKind::kAuto, Rescaling::kMargin},
                          Case{SolverKind::kBruteForce, Rescaling::kMargin},
                          Case{SolverKind::kMessages, Rescaling::kMargin},
                          Case{SolverKind::kAuto, Rescaling::kSlack}}) {
      Oracle oracle(*problem, c.kind, Oracle::Effort::kTraining, c.rescaling);
      const std::vector<double> weights = SomeWeights(random, *problem, 1);
      oracle.Refresh();
      std::int64_t before = oracle.work();
      for (int call = 0; call < 3; ++call) {
        WarmStart warm;
        Ask(*problem, &oracle, 0, weights, &warm, false);
        CHECK(oracle.work() > before);
        before = oracle.work();
      }
    }
  }
}

TEST_CASE("the corner of the ground truth is the one that its features give") {
  Random random(5);
  for (const bool scattered : {false, true}) {
    for (const PairGraph pairs : {PairGraph::kAll, PairGraph::kChain}) {
      CAPTURE(scattered);
      const Problem problem = MultiLabelWithConstants(random, 6, pairs, scattered);
      const ExampleOracle oracle(problem, {});
      SparseCorner fast, slow;
      for (Index m = 0; m < problem.size(); ++m) {
        const ExampleView example = problem.data().example(m);
        std::vector<double> coordinates = CoordinatesOf(example, example.labels());
        SparsifyCorner(example.structure(), coordinates, &slow);
        REQUIRE(oracle.ReadTruth(m, &fast));
        CHECK(fast.loss == slow.loss);
        CHECK(fast.slot_ones == slow.slot_ones);
        CHECK(fast.slot_index == slow.slot_index);
        CHECK(fast.scalar_ones == slow.scalar_ones);
        CHECK(fast.scalar_index == slow.scalar_index);
        CHECK(fast.scalar_value == slow.scalar_value);
      }
    }
  }
}
