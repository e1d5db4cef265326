// SPDX-License-Identifier: BSD-3-Clause
//
// The oracle of slack rescaling against enumeration: its counts of losses, its search over
// multipliers, and its answers by each method.
#include <slackline/learning/oracle/slack_oracle.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/factors/joint_states.h>
#include <slackline/learning/oracle/slack_search.h>
#include <slackline/learning/problem.h>

#include "tests/support/agreement.h"
#include "tests/support/coordinates.h"
#include "tests/support/corner_answers.h"
#include "tests/support/global_problems.h"
#include "tests/support/losses.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

enum class LossFamily { kHamming, kUnits, kTwoValues, kAny };
constexpr LossFamily kAllLosses[] = {LossFamily::kHamming, LossFamily::kUnits,
                                     LossFamily::kTwoValues, LossFamily::kAny};

/// Draws the losses of all states but those of the ground truth; some are zero.
Problem WithLosses(Random& random, TrainingSet training, LossFamily kind) {
  for (Index m = 0; m < training.data.size() && kind != LossFamily::kHamming; ++m) {
    const ExampleView example = training.data.example(m);
    for (Index i = 0; i < example.graph().num_variables(); ++i) {
      for (Index s = 0; s < example.graph().cardinality(i); ++s) {
        if (s == example.labels()[i]) continue;
        const Offset at = training.loss_begin[m] + example.graph().state_offset(i) + s;
        double& loss = training.losses[at];
        const auto drawn = static_cast<double>(random.Below(4));
        if (kind == LossFamily::kUnits) loss = 0.3 * drawn;
        if (kind == LossFamily::kTwoValues) loss = drawn < 2 ? 0.7 : std::sqrt(2);
        if (kind == LossFamily::kAny) loss = random.Uniform();
      }
    }
  }
  return Problem(std::move(training), 1);
}

double TruthScoreOf(const Problem& problem, Index m, std::span<const double> u) {
  std::vector<double> truth(u.size());
  AddLabellingFeatures(problem.data().example(m), problem.data().example(m).labels(), 1, truth);
  double score = 0;
  for (std::size_t k = 0; k < u.size(); ++k) score += u[k] * truth[k];
  return score;
}

/// The largest hinge of the only example.
double LargestHinge(const Problem& problem, std::span<const double> weights) {
  return SlackRescaledPrimal(problem.training(), 0, weights);
}

/// Checks both forms of the oracle's corner, and that both calls agree. Returns its hinge.
double CheckCorners(const Problem& problem, std::span<const double> weights, SolverKind solver,
                    double* bound) {
  Oracle sparse(problem, solver, ExampleOracle::Effort::kTraining, Rescaling::kSlack);
  sparse.Refresh();
  const Answer answer = AskBoundAndCorner(problem, &sparse, 0, weights);
  const double truth = TruthScore(problem, 0, weights);
  ExampleOracle dense(
      problem,
      {.solver = solver, .ways = ExampleOracle::Ways::kSolvers, .rescaling = Rescaling::kSlack});
  const Corner corner = dense.Maximise(0, weights, nullptr);
  const double room = kTight * std::max(1.0, std::abs(truth));
  double value = corner.loss;
  std::vector<double> u(corner.coordinates.size());
  CoordinateScores(problem.data().example(0), weights, u);
  for (std::size_t k = 0; k < u.size(); ++k) value -= u[k] * corner.coordinates[k];
  CHECK(std::abs(value - corner.value) <= room);
  CHECK(std::abs(corner.value - (answer.value - truth)) <= room);
  CHECK(std::abs(corner.upper_bound - std::max(0.0, answer.bound - truth)) <= room);
  CHECK(corner.loss == answer.loss);
  CHECK_FALSE(sparse.relaxed());
  *bound = corner.upper_bound;
  return corner.value;
}

}  // namespace

TEST_CASE("losses are functions of counts") {
  Random random(11);
  int with_counts[4] = {0, 0, 0, 0};
  for (int trial = 0; trial < 80; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.loss = trial % 8 < 4 ? LossScale::kMean : LossScale::kCount;
    shape.single_states = trial % 3 == 0;
    shape.unlabelled = trial % 5 == 0;
    const int kind = trial % 4;
    const Problem problem = WithLosses(random, RandomProblem(random, shape), kAllLosses[kind]);
    for (Index m = 0; m < problem.size(); ++m) {
      LossCounts counts;
      const FactorGraph& graph = problem.data().example(m).graph();
      if (!CountLosses(problem, m, &counts)) continue;
      ++with_counts[kind];
      REQUIRE(std::ssize(counts.values) ==
              Offset{counts.largest.first + 1} * (counts.largest.second + 1));
      std::vector<Index> labels(graph.num_variables());
      do {
        StateCounts sum;
        for (Index i = 0; i < graph.num_variables(); ++i) {
          const StateCounts own = counts.states[graph.state_offset(i) + labels[i]];
          sum.first += own.first;
          sum.second += own.second;
        }
        REQUIRE(sum.first <= counts.largest.first);
        REQUIRE(sum.second <= counts.largest.second);
        CHECK(Near(counts.values[sum.first * (counts.largest.second + 1) + sum.second],
                   problem.training().LossOf(m, labels), kExact));
      } while (NextJoint(graph.cardinalities(), labels));
    }
  }
  for (const int kind : {0, 1, 2}) CHECK(with_counts[kind] > 40);
  CHECK(with_counts[3] < 40);  // those of one or two labels
}

TEST_CASE("the search over multipliers finds the largest product over the hull of all points") {
  Random random(12);
  int reached = 0;
  int calls = 0;
  constexpr int kTrials = 300;
  for (int trial = 0; trial < kTrials; ++trial) {
    struct Point {
      double loss, score;
    };
    std::vector<Point> points = {{0, 0}};
    std::vector<double> losses;
    const double scale = std::pow(10.0, static_cast<double>(random.Below(5)) - 2);
    const bool whole = trial % 2 == 0;
    for (Index k = 0; k < 1 + trial % 12; ++k) {
      const double drawn = random.Uniform();
      points.push_back({scale * (whole ? std::ceil(5 * drawn) : drawn), 2 * random.Normal()});
    }
    double largest = 0;
    double best = 0;
    double hull = 0;
    for (const Point& a : points) {
      largest = std::max(largest, a.loss);
      best = std::max(best, a.loss * (1 + a.score));
      for (const Point& b : points) {
        // (d + t e)(1 + h + t k) is a concave function of t in [0, 1] where e and k differ in sign.
        const double e = b.loss - a.loss;
        const double k = b.score - a.score;
        for (const double t : {0.0, 1.0, -(a.loss * k + e * (1 + a.score)) / (2 * e * k)}) {
          if (!(t >= 0 && t <= 1)) continue;
          hull = std::max(hull, (a.loss + t * e) * (1 + a.score + t * k));
        }
      }
    }
    if (whole) {
      for (int k = 1; k <= 5; ++k) losses.push_back(k * scale);
    }
    const auto ask = [&](double multiplier) -> MultiplierAnswer {
      const auto value = [&](const Point& p) { return p.score + multiplier * p.loss; };
      const Point& found = *std::ranges::max_element(points, {}, value);
      return {value(found), found.score, found.loss};
    };
    const SlackBounds bounds = SearchMultipliers(largest, {}, ask);
    CAPTURE(trial);
    CAPTURE(best);
    CHECK(bounds.value <= best * (1 + kExact));
    CHECK(bounds.upper_bound >= best * (1 - kExact));
    CHECK(Near(bounds.upper_bound / scale, hull / scale, kTight));
    const SlackBounds discrete = SearchMultipliers(largest, losses, ask);
    CHECK(discrete.upper_bound >= best * (1 - kExact));
    CHECK(discrete.upper_bound <= hull * (1 + kTight));
    reached += bounds.value >= best * (1 - kExact) ? 1 : 0;
    calls += bounds.calls;
    // Bounds that are too large, as those of a relaxation, are passed on; scores of −∞ are skipped.
    const SlackBounds loose = SearchMultipliers(largest, losses, [&](double multiplier) {
      MultiplierAnswer answer = ask(multiplier);
      answer.bound += 0.1;
      if (trial % 3 == 0) answer = {answer.bound, -kInfinity, 0};
      return answer;
    });
    CHECK(loose.upper_bound >= best * (1 - kExact));
    CHECK(loose.value <= best * (1 + kExact));
    CHECK(loose.calls <= 24);
  }
  CHECK(reached > 0.8 * kTrials);
  CHECK(calls < 8 * kTrials);
  CHECK(SearchMultipliers(0, {}, [](double) { return MultiplierAnswer(); }).upper_bound == 0);
}

TEST_CASE("by counts and by enumeration the corner has the largest hinge") {
  Random random(1);
  int positive = 0;
  int by_counts = 0;
  int by_enumeration = 0;
  for (int trial = 0; trial < 160; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    if (trial % 2 == 0) shape = SmallForest(random, trial);
    shape.num_examples = 1;
    shape.max_states = 1 + trial % 4;
    shape.single_states = trial % 7 == 0;
    shape.unlabelled = trial % 5 == 0;
    shape.forbidden = trial % 3 == 0;
    if (trial % 11 == 0) shape.num_factors = 0;
    shape.loss = trial % 8 < 4 ? LossScale::kCount : LossScale::kMean;
    const Problem problem =
        WithLosses(random, RandomProblem(random, shape), kAllLosses[trial / 2 % 4]);
    const std::vector<double> weights = SomeWeights(random, problem, trial);
    CAPTURE(trial);
    const SlackMethod method = SlackMethodOf(problem, 0, SolverKind::kAuto);
    REQUIRE(method != SlackMethod::kMultipliers);
    (method == SlackMethod::kCounts ? by_counts : by_enumeration) += 1;
    const double hinge = LargestHinge(problem, weights);
    const double room = kTight * (1 + hinge + std::abs(TruthScore(problem, 0, weights)));
    for (const SolverKind solver : {SolverKind::kAuto, SolverKind::kBruteForce}) {
      double bound = 0;
      CHECK(std::abs(CheckCorners(problem, weights, solver, &bound) - hinge) <= room);
      CHECK(std::abs(bound - hinge) <= room);
    }
    positive += hinge > 1e-3 ? 1 : 0;
  }
  CHECK(positive > 80);
  CHECK(by_counts > 60);
  CHECK(by_enumeration > 30);
}

TEST_CASE("by multipliers the largest hinge lies between the corner's and the bound") {
  Random random(3);
  int tight = 0;
  double hinges = 0;
  double bounds = 0;
  constexpr int kTrials = 120;
  for (int trial = 0; trial < kTrials; ++trial) {
    ProblemOptions shape = trial % 2 == 0 ? SmallLoops(random) : SmallForest(random, 0);
    shape.num_examples = 1;
    shape.max_states = 2 + trial % 2;
    shape.unlabelled = trial % 5 == 0;
    const Problem problem =
        WithLosses(random, RandomProblem(random, shape), kAllLosses[trial / 2 % 4]);
    const std::vector<double> weights = SomeWeights(random, problem, 1 + trial % 4);
    std::vector<SolverKind> solvers = {SolverKind::kMessages, SolverKind::kMessagesBranchAndBound,
                                       SolverKind::kBranchAndBound};
    if (trial % 2 == 1) solvers.push_back(SolverKind::kTree);
    if (HasGlpk()) solvers.push_back(SolverKind::kLp);
    const double hinge = LargestHinge(problem, weights);
    const double room = kTight * (1 + hinge + std::abs(TruthScore(problem, 0, weights)));
    CAPTURE(trial);
    for (const SolverKind solver : solvers) {
      CAPTURE(SolverKindName(solver));
      CHECK(SlackMethodOf(problem, 0, solver) == SlackMethod::kMultipliers);
      double bound = 0;
      const double value = CheckCorners(problem, weights, solver, &bound);
      CHECK(value >= -room);
      CHECK(value <= hinge + room);
      CHECK(bound >= hinge - room);
      if (solver != SolverKind::kBranchAndBound || hinge > 1e3) continue;
      tight += bound - value <= room ? 1 : 0;
      hinges += hinge;
      bounds += bound;
    }
  }
  CHECK(tight > 0.4 * kTrials);
  CHECK(bounds < 1.15 * hinges);
}

TEST_CASE("the loss 1 - F1 is rescaled by its two counts") {
  Random random(4);
  for (int trial = 0; trial < 60; ++trial) {
    ProblemOptions shape = SmallForest(random, 0);
    shape.num_examples = 1;
    shape.max_states = 2;
    shape.num_variables = 1 + trial % 6;
    shape.single_states = false;
    const Problem problem(
        MakeTrainingSet(RandomProblem(random, shape).data, LossWith(LossForm::kF1)), 1);
    const std::vector<double> weights = SomeWeights(random, problem, trial);
    const ExampleView example = problem.data().example(0);
    const double truth = TruthScore(problem, 0, weights);
    double hinge = 0;
    std::vector<Index> labels(example.graph().num_variables());
    do {
      const double score = DenseFeaturesOf(example, labels).dot(AsVector(weights)) - truth;
      hinge = std::max(hinge, problem.training().LossOf(0, labels) * (1 + score));
    } while (NextJoint(example.graph().cardinalities(), labels));
    double bound = 0;
    CAPTURE(trial);
    const double room = kTight * (1 + hinge + std::abs(truth));
    CHECK(std::abs(CheckCorners(problem, weights, SolverKind::kAuto, &bound) - hinge) <= room);
    CHECK(std::abs(bound - hinge) <= room);
  }
}

TEST_CASE(
    "labellings that global factors forbid are left out, and weights of global factors count") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem problem(
        RandomGlobalProblem(
            seed, {.num_examples = 1, .chain = seed % 3 == 0, .exactly_one = seed % 2 == 0}),
        1);
    const ExampleView example = problem.data().example(0);
    Random random(seed);
    std::vector<double> weights(problem.num_weights());
    for (double& w : weights) w = 2 * random.Uniform() - 1;
    std::vector<double> u = CoordinateScoresOf(example, weights);
    const double score = TruthScoreOf(problem, 0, u);
    SlackOracle oracle(problem, SolverKind::kAuto);
    CHECK(oracle.MethodOf(0) == SlackMethod::kEnumeration);
    MapResult result;
    oracle.Maximise(0, u, nullptr, nullptr, &result);
    CAPTURE(seed);
    CHECK(Near(result.upper_bound - score, LargestHinge(problem, weights), kTight));
    CHECK(result.value == result.upper_bound);
    CHECK(result.exact);
  }
}

TEST_CASE("the method follows from the loss, the graph and the number of labellings") {
  Random random(2);
  ProblemOptions shape{.num_examples = 1, .max_states = 2, .num_factors = 2};
  for (const Index variables : {12, 13}) {
    shape.num_variables = variables;
    for (const bool forest : {false, true}) {
      shape.forest = forest;
      shape.num_factors = forest ? 6 : 40;
      const TrainingSet training = RandomProblem(random, shape);
      const Problem hamming = WithLosses(random, training, LossFamily::kHamming);
      const Problem any = WithLosses(random, training, LossFamily::kAny);
      const SlackMethod otherwise =
          variables == 12 ? SlackMethod::kEnumeration : SlackMethod::kMultipliers;
      CHECK(SlackMethodOf(hamming, 0, SolverKind::kAuto) ==
            (forest ? SlackMethod::kCounts : otherwise));
      CHECK(SlackMethodOf(any, 0, SolverKind::kAuto) == otherwise);
      CHECK(SlackMethodOf(any, 0, SolverKind::kBruteForce) == SlackMethod::kEnumeration);
      CHECK(SlackNeedsSolver(any, SolverKind::kAuto) == std::vector<bool>{variables == 13});
    }
  }
  shape.num_variables = 25;
  const Problem huge(RandomProblem(random, shape), 1);
  CHECK_THROWS_WITH_AS(SlackOracle(huge, SolverKind::kBruteForce),
                       doctest::Contains("use --oracle auto"), DataError);
}
