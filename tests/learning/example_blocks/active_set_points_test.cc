// SPDX-License-Identifier: BSD-3-Clause
//
// Compares points, gaps, bounds and averages of the engine of example blocks with plain sums and
// enumeration; tests its states.
#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>

#include "tests/support/active_set_parts.h"
#include "tests/support/dense_labellings.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/plain_dual.h"
#include "tests/support/random_problems.h"
#include "tests/support/states.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using DualCorner = PlainDual::Corner;
using Real = PlainDual::Real;
using Vector = PlainDual::Vector;

}  // namespace

TEST_CASE("weights, rebuilt weights and points of examples are sums over alpha") {
  Random random(3);
  for (int trial = 0; trial < 16; ++trial) {
    Parts parts(SmallProblem(random, trial), 0.05, ExactOracle(trial), StepKind::kPairwise);
    if (trial % 2 == 0) parts.blocks.MoveCentre(0.1);
    for (int pass = 0; pass < 6; ++pass) parts.Pass(pass % 3 != 2);
    PlainDual dual(parts.blocks, {});
    std::vector<double> point;
    const double loss = parts.blocks.WeightsOfPoint(&point);
    const Vector expected = dual.Point();
    const double scale = 1 + static_cast<double>(expected.lpNorm<Eigen::Infinity>());
    CHECK((AsVector(point) - expected.cast<double>()).lpNorm<Eigen::Infinity>() <= kExact * scale);
    CHECK(Near(loss, static_cast<double>(dual.Loss()), kExact));

    const std::vector<double> before = Copy(parts.blocks.weights());
    parts.blocks.Rebuild();
    const std::vector<double> after = Copy(parts.blocks.weights());
    CHECK((AsVector(before) - AsVector(after)).lpNorm<Eigen::Infinity>() <= 1e-11 * scale);

    std::vector<double> coordinates;
    double sum = 0;
    Eigen::VectorXd total = Eigen::VectorXd::Zero(parts.problem.num_weights());
    for (Index m = 0; m < parts.problem.size(); ++m) {
      const ExampleView example = parts.problem.data().example(m);
      sum += parts.blocks.PointOfExample(m, &coordinates) / parts.problem.size();
      std::vector<double> features(parts.problem.num_weights(), 0.0);
      ScatterFeatures(example, coordinates, 1, features);
      total += (DenseFeaturesOf(example, example.labels()) - AsVector(features)) /
               parts.problem.lambda_m();
    }
    CHECK(Near(sum, loss, kExact));
    CHECK((total - AsVector(point)).lpNorm<Eigen::Infinity>() <= kExact * scale);
  }
}

TEST_CASE("the gap of a visit is out of date once other examples have moved") {
  Random random(4);
  int grown = 0;
  int fallen = 0;
  for (int trial = 0; trial < 12; ++trial) {
    // Several examples that share all weights.
    Parts parts(RandomMultiLabelProblem(random, 8, 4, 3, false), 0.05, SolverKind::kRoof,
                StepKind::kPairwise);
    for (int pass = 0; pass < 3; ++pass) {
      std::vector<double> kept;
      for (Index m = 0; m < parts.problem.size(); ++m)
        kept.push_back(parts.blocks.Visit(m, true).gap);
      const std::vector<double> weights = Copy(parts.blocks.weights());
      PlainDual dual(parts.blocks, {});
      for (Index m = 0; m < parts.problem.size(); ++m) {
        Real mean = 0;
        for (const DualCorner& corner : dual.example(m)) mean += corner.alpha * dual.Score(corner);
        // The recomputed hinge gives the current gap, whatever gap the visit had found.
        const double hinge = Hinge(parts.problem, m, weights);
        CHECK(Near(HingeBound(parts.blocks, m, weights, SolverKind::kRoof), hinge, kTight));
        const double gap = hinge - static_cast<double>(mean);
        CHECK(gap >= -kTight);
        grown += gap > kept[m] + 1e-3 ? 1 : 0;
        fallen += gap < kept[m] - 1e-3 ? 1 : 0;
        // Asked again without a step, the oracle finds the current gap.
        CHECK(Near(parts.blocks.Ask(m, 0).gap, std::max(0.0, gap), kTight));
      }
      CHECK(Copy(parts.blocks.weights()) == weights);
    }
  }
  CHECK(grown > 20);
  CHECK(fallen > 20);
}

TEST_CASE("an oracle call without a step finds how far a new corner exceeds the active set") {
  Random random(5);
  int beyond = 0;
  for (int trial = 0; trial < 16; ++trial) {
    Parts parts(SmallProblem(random, trial), 0.05, ExactOracle(trial), StepKind::kPairwise);
    for (int pass = 0; pass < 3; ++pass) {
      for (Index m = 0; m < parts.problem.size(); ++m) {
        PlainDual dual(parts.blocks, {});
        Real most = -kInfinity;
        for (const DualCorner& corner : dual.example(m)) most = std::max(most, dual.Score(corner));
        const double hinge = Hinge(parts.problem, m, parts.blocks.weights());
        const ActiveSetBlocks::VisitResult asked = parts.blocks.Ask(m, 0);
        const double spread = std::max(0.0, hinge - static_cast<double>(most));
        CHECK(Near(asked.spread, spread, kTight));
        CHECK(asked.gain == 0);
        beyond += spread > 1e-3 ? 1 : 0;
        parts.blocks.Visit(m, pass % 2 == 0);
      }
    }
  }
  CHECK(beyond > 10);
}

TEST_CASE("averages are taken over the weights after every visit, also when the centre moves") {
  Random random(9);
  for (int trial = 0; trial < 8; ++trial) {
    const TrainingSet training = SmallProblem(random, trial);
    for (const AverageKind kind : {AverageKind::kUniform, AverageKind::kWeighted}) {
      Parts parts(training, 0.1, ExactOracle(trial), StepKind::kPairwise, kind);
      const bool centred = trial % 2 == 1;
      if (centred) parts.blocks.MoveCentre(0.3);
      Eigen::VectorXd sum = Eigen::VectorXd::Zero(parts.problem.num_weights());
      double total = 0;
      Index visits = 0;
      std::vector<double> average;
      for (int pass = 0; pass < 4; ++pass) {
        for (Index m = 0; m < parts.problem.size(); ++m) {
          parts.blocks.Visit(m, pass != 2);
          const double share = kind == AverageKind::kUniform ? 1 : ++visits;
          sum += share * AsVector(parts.blocks.weights());
          total += share;
        }
        parts.blocks.ReadAverage(&average);
        CHECK((AsVector(average) - sum / total).lpNorm<Eigen::Infinity>() <=
              kTight * (1 + sum.lpNorm<Eigen::Infinity>() / total));
        if (centred) parts.blocks.MoveCentre(0.2 * pass);
      }
    }
  }
}

TEST_CASE("bounds hold at any weights, and bounds of a copy while the blocks continue") {
  Random random(10);
  for (int trial = 0; trial < 12; ++trial) {
    Parts parts(SmallProblem(random, trial), 0.1, ExactOracle(trial), StepKind::kPairwise);
    ActiveSetBlocks::CheckCopy copy;
    for (int pass = 0; pass < 3; ++pass) {
      parts.Pass(true);
      parts.blocks.CopyForChecks(&copy);
      std::vector<double> weights = Copy(parts.blocks.weights());
      if (pass == 1) std::ranges::generate(weights, [&] { return random.Normal(); });
      parts.Pass(false);
      for (Index m = 0; m < parts.problem.size(); ++m) {
        const double hinge = Hinge(parts.problem, m, weights);
        CHECK(Near(HingeBound(parts.blocks, m, weights, ExactOracle(trial)), hinge, kTight));
        CHECK(Near(HingeBound(parts.blocks, m, weights, ExactOracle(trial), &copy), hinge, kTight));
      }
    }
  }
}

TEST_CASE("another lambda starts from the best mixture of the point and the ground truth") {
  Random random(11);
  int mixed = 0;
  for (int trial = 0; trial < 16; ++trial) {
    Parts parts(SmallProblem(random, trial), trial % 2 == 0 ? 1.0 : 0.05, ExactOracle(trial),
                StepKind::kPairwise);
    for (int pass = 0; pass < 5; ++pass) parts.Pass(true);
    const PlainDual before(parts.blocks, {});
    const Vector gradient = before.Point() * Real(parts.problem.lambda());
    const Real loss = before.Loss();
    const double lambda = trial % 4 < 2 ? 0.02 : 0.5;
    const Problem next = parts.problem.WithLambda(lambda);
    parts.oracle.set_problem(next);
    parts.blocks.ChangeLambda(next);
    // f(θ) = θ loss − θ² ‖g‖² / (2λ) is largest in [0, 1] at:
    const Real share = std::min<Real>(1, loss * lambda / gradient.squaredNorm());
    mixed += share < 1 ? 1 : 0;
    const PlainDual after(parts.blocks, {});
    CHECK(std::abs(after.Loss() - share * loss) <= kTight);
    CHECK((after.Point() - share * gradient / lambda).lpNorm<Eigen::Infinity>() <=
          kTight * (1 + after.Point().lpNorm<Eigen::Infinity>()));
    CHECK(
        (AsVector(parts.blocks.weights()).cast<Real>() - after.Point()).lpNorm<Eigen::Infinity>() <=
        kTight * (1 + after.Point().lpNorm<Eigen::Infinity>()));
    CHECK(parts.blocks.oracle_calls() == 0);
    CHECK(parts.blocks.steps() == 0);
    // Steps from the mixed point are steps on the new problem.
    const Real before_pass = after.Value();
    Real gain = 0;
    for (Index m = 0; m < next.size(); ++m) gain += parts.blocks.Visit(m, true).gain;
    CHECK(std::abs(PlainDual(parts.blocks, {}).Value() - before_pass - gain / next.size()) <=
          kTight);
  }
  CHECK(mixed > 2);
}

TEST_CASE("saved blocks continue bit for bit") {
  Random random(12);
  for (int trial = 0; trial < 16; ++trial) {
    const TrainingSet training = SmallProblem(random, trial);
    const StepKind step = trial % 2 == 0 ? StepKind::kPairwise : StepKind::kAway;
    const AverageKind average = trial % 3 == 0 ? AverageKind::kWeighted : AverageKind::kOff;
    Parts first(training, 0.1, ExactOracle(trial), step, average);
    if (trial % 2 == 0) first.blocks.MoveCentre(0.2);
    for (int pass = 0; pass < 4; ++pass) first.Pass(pass != 1);
    if (trial % 4 == 2) first.blocks.MoveCentre(0.1);  // the weights are at the centre
    const std::string state = first.State();
    Parts second(training, 0.1, ExactOracle(trial), step, average);
    StateReader reader(state);
    LoadState(second.oracle, &reader);
    LoadState(second.blocks, &reader);
    reader.Finish();
    CHECK(second.State() == state);
    CHECK(Copy(second.blocks.reached()) == Copy(first.blocks.reached()));
    CHECK(second.blocks.work() == first.blocks.work());
    for (int pass = 0; pass < 3; ++pass) {
      for (Parts* parts : {&first, &second}) parts->Pass(pass != 1);
    }
    CHECK(first.State() == second.State());
    CHECK(Copy(first.blocks.weights()) == Copy(second.blocks.weights()));
  }
}

TEST_CASE("searches start after three visits with small gains, and find the maximum") {
  constexpr Index kPatience = 3;
  constexpr double kEnough = 0.25;  // share of the gap by the oracle's bound
  Random random(13);
  int waited = 0;
  int searched = 0;
  int sharpened = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const Problem problem(
        RandomProblem(random,
                      {.num_examples = 4, .num_variables = 5, .num_factors = 10, .potts = false}),
        0.02);
    ExampleOracle oracle(problem, {.solver = SolverKind::kMessagesBranchAndBound,
                                   .effort = ExampleOracle::Effort::kTraining,
                                   .searches = ExampleOracle::Searches::kOnDemand});
    ActiveSetBlocks blocks(problem, &oracle, StepKind::kPairwise);
    ActiveSetBlocks::CheckCopy before, after;
    for (int visit = 0; visit < 60; ++visit) {
      for (Index m = 0; m < problem.size(); ++m) {
        if (!oracle.SearchesOnDemand(m)) continue;
        blocks.CopyForChecks(&before);
        const ActiveSetBlocks::VisitResult result = blocks.Visit(m, true);
        blocks.CopyForChecks(&after);
        const ActiveSetBlocks::SearchRecord& was = before.searches[m];
        const ActiveSetBlocks::SearchRecord& is = after.searches[m];
        if (visit == 0) CHECK(was.rest == kPatience);
        const bool enough = !(result.gap < kEnough * result.open);
        if (was.rest > 0) {  // no search
          CHECK(is.rest == (enough ? std::max(was.rest, kPatience) : was.rest - 1));
          CHECK(is.needed == was.needed);
          waited += enough ? 0 : 1;
        } else {
          CHECK(enough);  // shown by the labelling or by the search
          CHECK(is.rest == kPatience);
          CHECK(is.doublings == 0);
          searched += is.needed ? 1 : 0;
        }
      }
    }
    const std::vector<double> weights = Copy(blocks.weights());
    for (Index m = 0; m < problem.size(); ++m) {
      ExampleOracle checker(problem, {.solver = SolverKind::kMessagesBranchAndBound,
                                      .effort = ExampleOracle::Effort::kChecking,
                                      .searches = ExampleOracle::Searches::kOnDemand});
      checker.Refresh();
      ActiveSetBlocks::CheckScratch scratch;
      const double bound = blocks.HingeBound(m, weights, &checker, &scratch);
      const double hinge = Hinge(problem, m, weights);
      CHECK(bound >= hinge - kTight * std::max(1.0, hinge));
      // Where a search was needed, checks search as well.
      if (!after.searches.empty() && after.searches[m].needed) {
        CHECK(Near(bound, hinge, kTight));
        ++sharpened;
      }
    }
  }
  CHECK(waited > 20);
  CHECK(searched > 10);
  CHECK(sharpened > 3);
}
