// SPDX-License-Identifier: BSD-3-Clause
//
// The learner on active sets: which examples a pass visits with the oracle, and the gap estimate.
#include <slackline/learning/example_blocks/active_set_learner.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/model_builder.h>

#include "tests/support/active_set_parts.h"
#include "tests/support/dense_labellings.h"
#include "tests/support/learner_checks.h"
#include "tests/support/multiclass_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A global factor without features that counts the calls of its maximum.
class CountingFactor : public GlobalFactor {
 public:
  CountingFactor(Index variables, std::shared_ptr<std::atomic<int>> calls)
      : cardinalities_(variables, 2), calls_(std::move(calls)) {}

  std::string_view name() const override { return "counting"; }
  std::span<const Index> cardinalities() const override { return cardinalities_; }
  Index num_weights() const override { return 0; }
  void AddFeatures(std::span<const Index>, double, std::span<double>) const override {}
  double Maximize(std::span<const double>, std::span<const double> messages,
                  std::span<Index> states) const override {
    ++*calls_;
    double value = 0;
    for (std::size_t k = 0; k < states.size(); ++k) {
      states[k] = messages[2 * k + 1] < messages[2 * k] ? 1 : 0;
      value -= messages[2 * k + states[k]];
    }
    return value;
  }

 private:
  std::vector<Index> cardinalities_;
  std::shared_ptr<std::atomic<int>> calls_;
};

/// Examples of two labels with one factor each over both labels, and the number of oracle calls for
/// each example. `hard` of the examples have labels that the inputs do not explain.
struct CountedProblem {
  TrainingSet training;
  std::vector<std::shared_ptr<std::atomic<int>>> calls;

  /// The examples for which the oracle was called since the last call of Asked.
  std::vector<bool> Asked() {
    std::vector<bool> asked;
    for (const auto& count : calls) asked.push_back(count->exchange(0) > 0);
    return asked;
  }
};

CountedProblem MakeCounted(Random& random, Index examples, Index hard) {
  std::vector<std::shared_ptr<std::atomic<int>>> calls;
  auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("labels", 4, 3);
  auto rows = std::make_shared<FeatureRows>();
  std::vector<std::vector<Index>> labels;
  for (Index m = 0; m < examples; ++m) {
    std::vector<double> x = {random.Normal(), random.Normal(), 1};
    for (int k = 0; k < 2; ++k) x[k] += x[k] > 0 ? 1 : -1;
    labels.push_back({x[0] > 0, x[1] > 0});
    if (m < hard) labels.back() = {static_cast<Index>(random.Below(2)), x[0] < 0};
    rows->AddDense(x);
  }
  Dataset data(layout, rows);
  for (Index m = 0; m < examples; ++m) {
    calls.push_back(std::make_shared<std::atomic<int>>(0));
    ModelBuilder builder(layout);
    for (Index i = 0; i < 2; ++i) {
      builder.AddVariable(2);
      builder.AddLinearFeatures(i, block, 0, {}, 2 * i);
    }
    builder.AddGlobalFactor(std::vector<Index>{0, 1},
                            std::make_shared<CountingFactor>(2, calls.back()));
    data.Add(builder.Build(), labels[m], m);
  }
  return {MakeTrainingSet(data, {}), calls};
}

TrainOptions PairwiseOptions(OrderKind order, SolverKind oracle = SolverKind::kAuto) {
  return {
      .learner = LearnerKind::kBcfw, .step = StepKind::kPairwise, .order = order, .oracle = oracle};
}

double Gap(const Evaluation& evaluation) { return evaluation.primal - evaluation.dual; }

}  // namespace

void CheckWaits(Index examples, Switch proximal, int longest) {
  Random random(1);
  CountedProblem counted = MakeCounted(random, examples, 4);
  const Problem problem(counted.training, 0.05);
  TrainOptions options = PairwiseOptions(OrderKind::kGap);
  options.proximal = proximal;
  const auto learner = MakeActiveSetLearner(problem, options);
  std::vector<int> waits(examples, 0);
  int left_out = 0;
  counted.Asked();
  for (int pass = 0; pass < 60; ++pass) {
    const std::int64_t before = learner->work().oracle_calls;
    learner->RunPass(kNever);
    const std::vector<bool> asked = counted.Asked();
    CHECK(learner->work().oracle_calls - before == std::ranges::count(asked, true));
    if (pass == 0) CHECK(std::ranges::count(asked, true) == examples);
    for (std::size_t m = 0; m < waits.size(); ++m) {
      left_out += asked[m] ? 0 : 1;
      waits[m] = asked[m] ? 0 : waits[m] + 1;
      CHECK(waits[m] <= longest);
    }
  }
  CHECK(left_out > 5 * examples);
}

TEST_CASE("in order of gaps, examples without a gap are left out for a few passes") {
  // At most four rounds, and six where examples outnumber the 12 weights; up to two more where the
  // mean gap grows meanwhile.
  CheckWaits(23, Switch::kAuto, 6);
  CheckWaits(23, Switch::kOff, 6);
  CheckWaits(40, Switch::kAuto, 8);
  CheckWaits(40, Switch::kOff, 8);
}

TEST_CASE("in other orders every pass calls the oracle once per example") {
  Random random(2);
  for (const OrderKind order : {OrderKind::kExample, OrderKind::kUniform}) {
    CountedProblem counted = MakeCounted(random, 30, 10);
    const Problem problem(counted.training, 0.05);
    const auto learner = MakeActiveSetLearner(problem, PairwiseOptions(order));
    counted.Asked();
    for (int pass = 1; pass <= 5; ++pass) {
      learner->RunPass(kNever);
      CHECK(learner->work().oracle_calls == 30 * pass);
      const auto asked = std::ranges::count(counted.Asked(), true);
      if (order == OrderKind::kExample) CHECK(asked == 30);
      if (order == OrderKind::kUniform) CHECK(asked < 30);
    }
  }
}

TEST_CASE("an example whose gap grows while it is left out is visited again") {
  Random random(3);
  // A path over λ: with the first λ the easy examples have no gap, with the second all examples
  // have one.
  CountedProblem counted = MakeCounted(random, 40, 4);
  const Problem first(counted.training, 0.05);
  const Problem second = first.WithLambda(20);
  const auto learner = MakeActiveSetLearner(first, PairwiseOptions(OrderKind::kGap));
  for (int pass = 0; pass < 20; ++pass) learner->RunPass(kNever);
  learner->traits().lambda->ChangeLambda(second);
  counted.Asked();
  learner->RunPass(kNever);
  CHECK(std::ranges::count(counted.Asked(), true) == 40);
  for (int pass = 0; pass < 40; ++pass) learner->RunPass(kNever);
  const Evaluation evaluation = learner->Evaluate(1);
  CHECK(Gap(evaluation) <= 1e-6 * evaluation.primal);
}

TEST_CASE("evaluations agree with the weights and the dual point, whatever gaps are stored") {
  Random random(4);
  int too_small = 0;
  for (const Switch proximal : {Switch::kAuto, Switch::kOff}) {
    for (const OrderKind order : {OrderKind::kGap, OrderKind::kExample, OrderKind::kUniform}) {
      const Problem problem(RandomMultiLabelProblem(random, 12, 4, 3, false), 0.02);
      TrainOptions options = PairwiseOptions(order, SolverKind::kRoof);
      options.proximal = proximal;
      const double optimum = ExactOptimum(problem.training(), problem.lambda());
      const auto learner = MakeActiveSetLearner(problem, options);
      for (int pass = 0; pass < 15; ++pass) {
        learner->RunPass(kNever);
        const Evaluation evaluation = learner->Evaluate(1);
        CHECK(Near(evaluation.primal,
                   ExactPrimal(problem.training(), problem.lambda(), learner->weights()), kTight));
        CHECK(Near(evaluation.dual, ValueOfDualPoint(problem, *learner), kTight));
        CHECK(evaluation.primal >= optimum - kSolver);
        CHECK(evaluation.dual <= optimum + kSolver);
        too_small += GapEstimate(*learner) < 0.5 * Gap(evaluation) ? 1 : 0;
      }
    }
  }
  CHECK(too_small > 5);  // the estimate is no certificate
}

TEST_CASE("the gap estimate is the gap found by the last oracle calls") {
  Random random(10);
  for (const OrderKind order : {OrderKind::kGap, OrderKind::kExample}) {
    // One example: no other example changes the weights between two of its visits.
    const Problem problem(RandomMultiLabelProblem(random, 1, 4, 3, false), 0.1);
    TrainOptions options = With(PairwiseOptions(order, SolverKind::kRoof), "--proximal off");
    const auto learner = MakeActiveSetLearner(problem, options);
    CHECK(GapEstimate(*learner) == kInfinity);
    learner->RunPass(kNever);
    CHECK(Near(GapEstimate(*learner), PrimalAtZeroWeights(problem), kTight));
    for (int pass = 0; pass < 30; ++pass) learner->RunPass(kNever);
    CHECK(GapEstimate(*learner) <= kTight);
    CHECK(GapEstimate(*learner) >= 0);
  }
}

TEST_CASE("far from the proximal centre the dual point is mixed with the ground truth") {
  Random random(11);
  int mixed = 0;
  for (int trial = 0; trial < 4; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 20, 5, 4, true), 1e-4);
    const auto learner =
        MakeActiveSetLearner(problem, PairwiseOptions(OrderKind::kGap, SolverKind::kRoof));
    for (int pass = 0; pass < 10; ++pass) {
      learner->RunPass(kNever);
      const double dual = learner->Evaluate(1).dual;
      CHECK(Near(dual, ValueOfDualPoint(problem, *learner), kTight));
      // The point before mixing, from the active sets.
      double loss = 0;
      Eigen::VectorXd point = Eigen::VectorXd::Zero(problem.num_weights());
      for (Index m = 0; m < problem.size(); ++m) {
        const ExampleView example = problem.data().example(m);
        const ActiveSet& set = learner->sets()[m];
        SparseCorner corner;
        for (Index a = 0; a < set.size(); ++a) {
          set.Read(a, &corner);
          loss += set.alpha()[a] * corner.loss / problem.size();
          point += set.alpha()[a] / problem.lambda_m() *
                   (DenseFeaturesOf(example, example.labels()) - DenseFeaturesOf(example, corner));
        }
      }
      const double norm = 0.5 * problem.lambda() * point.squaredNorm();
      const double share = norm > 0 ? std::min(1.0, loss / (2 * norm)) : 1;
      CHECK(Near(dual, share * loss - share * share * norm, kTight));
      mixed += share < 1 ? 1 : 0;
    }
  }
  CHECK(mixed > 5);
}

TEST_CASE("a gap estimate that is too small does not end the run") {
  Random random(5);
  int misled = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const Problem problem(RandomMultiLabelProblem(random, 12, 4, 3, false), 0.02);
    TrainOptions options = With(PairwiseOptions(OrderKind::kGap, SolverKind::kRoof),
                                "--proximal off --gap-tolerance 0 --check-every 1");
    // A tolerance that the estimate meets at some pass while the gap does not.
    const auto probe = MakeActiveSetLearner(problem, options);
    double tolerance = 0;
    Index met = 0;
    for (Index pass = 1; pass <= 30 && tolerance == 0; ++pass) {
      probe->RunPass(kNever);
      const double gap = Gap(probe->Evaluate(1));
      if (GapEstimate(*probe) > 0.7 * gap) continue;
      tolerance = 0.85 * gap;
      met = pass;
    }
    if (tolerance == 0) continue;
    ++misled;
    options.absolute_gap = tolerance;
    const auto learner = MakeActiveSetLearner(problem, options);
    const TrainSummary summary = RunTraining(problem, *learner, options, nullptr, nullptr);
    CHECK(summary.termination == Termination::kConverged);
    const double primal = ExactPrimal(problem.training(), problem.lambda(), summary.weights);
    const double optimum = ExactOptimum(problem.training(), problem.lambda());
    CHECK(primal <= optimum + tolerance + kSolver);
    CHECK(summary.last.gap <= tolerance);
    CHECK(summary.last.primal >= primal - kTight);
    CHECK(met >= 1);
  }
  CHECK(misled > 5);
}

TEST_CASE("the stored dual point is the best of all evaluated ones") {
  Random random(6);
  const Problem problem(RandomMultiLabelProblem(random, 20, 5, 4, true), 1e-3);
  TrainOptions options = PairwiseOptions(OrderKind::kGap, SolverKind::kRoof);
  const auto learner = MakeActiveSetLearner(problem, options);
  CHECK_FALSE(learner->traits().dual_point->DualPointIsBest());
  learner->traits().dual_point->KeepDualPoint();
  CHECK(learner->traits().dual_point->DualPointIsBest());
  double best = -kInfinity;
  int fell = 0;
  for (int pass = 0; pass < 40; ++pass) {
    learner->RunPass(kNever);
    const double dual = learner->Evaluate(1).dual;
    fell += dual < best ? 1 : 0;
    best = std::max(best, dual);
    CHECK(Near(ValueOfDualPoint(problem, *learner), best, kTight));
  }
  CHECK(fell > 0);
  // A learner that loads a state does not know the points of earlier passes that were not kept.
  options.proximal = Switch::kOff;
  CHECK(MakeActiveSetLearner(problem, options)->traits().dual_point->DualPointIsBest());
}

TEST_CASE("data in windows are evaluated in one sweep on one thread, and bit for bit as in two") {
  Random random(641);
  constexpr Index kExamples = 150;
  const MulticlassProblem classes = RandomMulticlassProblem(random, kExamples, 3, 5);
  classes.rows->SetWindows({40, 80, 110, kExamples});
  const Problem problem(classes.training, 1e-4);
  TrainOptions options = Options(LearnerKind::kBcfw, StepKind::kPairwise, 0);
  options.proximal = Switch::kAuto;
  for (const Index shards : {1, 3}) {
    options.shards = shards;
    const auto once = MakeLearner(problem, options);
    const auto twice = MakeLearner(problem, options);
    DualPointSource& point_once = *once->traits().dual_point;
    DualPointSource& point_twice = *twice->traits().dual_point;
    point_once.KeepDualPoint();
    point_twice.KeepDualPoint();
    std::vector<double> a, b;
    int mixed = 0;
    for (int pass = 0; pass < 12; ++pass) {
      once->RunPass(kNever);
      twice->RunPass(kNever);
      const Evaluation of_once = once->Evaluate(1);
      const Evaluation of_twice = twice->Evaluate(2);
      CAPTURE(shards);
      CHECK(of_once.primal == of_twice.primal);
      CHECK(of_once.dual == of_twice.dual);
      CHECK(std::ranges::equal(once->weights(), twice->weights()));
      CHECK(of_once.dual <= of_once.primal);
      for (Index m = 0; m < kExamples; m += 7) {
        double loss_a = 0, loss_b = 0;
        point_once.DualPoint(m, &a, &loss_a);
        point_twice.DualPoint(m, &b, &loss_b);
        CHECK(a == b);
        CHECK(loss_a == loss_b);
        mixed += loss_a > 0;
      }
    }
    CHECK(mixed > 0);
  }
}

TEST_CASE("the learner saves states, replays and follows paths") {
  Random random(8);
  const Problem problem(RandomMultiLabelProblem(random, 15, 4, 3, false), 0.02);
  for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
    for (const OrderKind order : {OrderKind::kGap, OrderKind::kExample, OrderKind::kUniform}) {
      TrainOptions options = PairwiseOptions(order, SolverKind::kRoof);
      options.step = step;
      options.average = order == OrderKind::kExample ? AverageKind::kSuffix : AverageKind::kOff;
      CAPTURE(Name(order));
      CheckTakeOver(problem, options, {.before = 7, .after = 9});
      CheckReplay(problem, options);
    }
  }
  const double optimum = ExactOptimum(problem.training(), 0.2);
  CheckChangeLambda(problem, PairwiseOptions(OrderKind::kGap, SolverKind::kRoof), 0.2, optimum, 0,
                    100, 1e-4);
}

TEST_CASE("without a centre the dual never falls") {
  Random random(9);
  for (int trial = 0; trial < 6; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.num_examples = 6;
    const Problem problem(RandomProblem(random, shape), 0.05);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
      TrainOptions options = PairwiseOptions(OrderKind::kGap, SolverKind::kBruteForce);
      options.step = step;
      options.proximal = Switch::kOff;
      CheckDualNeverFalls(problem, options, 25, kExact);
    }
  }
}
