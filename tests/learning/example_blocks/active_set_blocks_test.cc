// SPDX-License-Identifier: BSD-3-Clause
//
// The engine of example blocks against a plain one that knows dense features only and finds the
// lengths of its steps from values of the dual.
#include <slackline/learning/example_blocks/active_set_blocks.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Core>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>
#include <tests/support/states.h>

#include "tests/support/dense_labellings.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/plain_dual.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Corner = PlainDual::Corner;
using Real = PlainDual::Real;
using Vector = PlainDual::Vector;

std::vector<double> ToDoubles(const Vector& values) { return {values.begin(), values.end()}; }

/// max_y H_m(y; w) by enumeration.
double Hinge(const Problem& problem, Index m, std::span<const double> weights) {
  const ExampleView example = problem.data().example(m);
  return LargestScore(DenseLabellings(problem, m), AsVector(weights)) -
         DenseFeaturesOf(example, example.labels()).dot(AsVector(weights));
}

bool Same(const Corner& a, const Corner& b) {
  return std::abs(a.loss - b.loss) <= kTight && (a.psi - b.psi).lpNorm<Eigen::Infinity>() <= kTight;
}

std::vector<Corner>::iterator FindCorner(std::vector<Corner>& corners, const Corner& corner) {
  return std::ranges::find_if(corners, [&](const Corner& other) { return Same(other, corner); });
}

/// α of the blocks and of the plain dual, corner by corner; those that the blocks have dropped have
/// no weight.
void CheckAlpha(PlainDual& dual, const ActiveSetBlocks& blocks, Index m) {
  Real sum = 0;
  for (Index a = 0; a < blocks.kept(m); ++a) {
    const auto found = FindCorner(dual.example(m), dual.ReadCorner(m, blocks.sets()[m], a));
    REQUIRE(found != dual.example(m).end());
    const double alpha = blocks.sets()[m].alpha()[a];
    CHECK(alpha >= 0);
    CHECK(std::abs(alpha - found->alpha) <= kTight);
    sum += found->alpha;
  }
  CHECK(std::abs(sum - 1) <= kTight);
}

/// What must hold of a visit whatever its steps were: the gain, the weights, and the gap that local
/// steps leave.
void CheckOutcome(const ActiveSetBlocks& blocks, std::span<const double> centre, Index m,
                  Real before, const ActiveSetBlocks::VisitResult& visit, std::int64_t steps,
                  bool ask) {
  const PlainDual dual(blocks, centre);
  const double gain = static_cast<double>((dual.Value() - before) * blocks.problem().size());
  CHECK(Near(visit.gain, gain, kTight));
  CHECK(gain >= -kTight);
  const Vector weights = dual.Weights();
  CHECK((AsVector(blocks.weights()).cast<Real>() - weights).lpNorm<Eigen::Infinity>() <=
        kTight * std::max<Real>(1, weights.lpNorm<Eigen::Infinity>()));
  const Real allowed = 0.1L * (ask && visit.gap > 0 ? visit.gap : visit.spread);
  const bool ends = dual.Gap(m) <= allowed + kTight || steps >= 20;
  if (!ask || visit.gap > 0) CHECK(ends);
}

/// The oracle's part of a visit: the corner that it found, and the gap by enumeration.
void CheckAnswer(PlainDual* dual, const ActiveSetBlocks& blocks, Index m,
                 const ActiveSetBlocks::VisitResult& visit) {
  for (Index a = 0; a < blocks.kept(m); ++a) {
    const Corner corner = dual->ReadCorner(m, blocks.sets()[m], a);
    if (FindCorner(dual->example(m), corner) == dual->example(m).end())
      dual->example(m).push_back(corner);
  }
  Real most = -kInfinity;
  Real mean = 0;
  for (const Corner& corner : dual->example(m)) {
    most = std::max(most, dual->Score(corner));
    mean += corner.alpha * dual->Score(corner);
  }
  const double best = Hinge(blocks.problem(), m, ToDoubles(dual->Weights()));
  CHECK(Near(static_cast<double>(most), best, kTight));
  CHECK(Near(visit.gap, std::max(0.0, best - static_cast<double>(mean)), kTight));
  CHECK(visit.open >= visit.gap);
}

/// A visit against the same by plain means. Returns how many lengths of steps were compared: none
/// where rounding decides between corners.
int CheckVisit(ActiveSetBlocks* blocks, std::span<const double> centre, Index m, StepKind kind,
               bool ask) {
  PlainDual dual(*blocks, centre);
  const Real before = dual.Value();
  const std::int64_t steps_before = blocks->steps();
  PlainDual::Improvement local;
  if (dual.example(m).size() > 1) local = dual.Improve(m, kind, -1);
  const ActiveSetBlocks::VisitResult visit = blocks->Visit(m, ask);
  const std::int64_t steps = blocks->steps() - steps_before;
  CHECK(Near(visit.spread, static_cast<double>(local.gap), kTight));
  CheckOutcome(*blocks, centre, m, before, visit, steps, ask);
  if (!local.clear) return 0;
  PlainDual::Improvement last;
  if (ask) {
    CheckAnswer(&dual, *blocks, m, visit);
    if (visit.gap > 0) last = dual.Improve(m, kind, 0.1L * visit.gap);
    if (!last.clear) return 0;
  }
  CheckAlpha(dual, *blocks, m);
  return local.steps + last.steps;
}

/// Every kind of features: one input and several, own weights and shared ones, potentials.
TrainingSet AnyProblem(Random& random, int trial) {
  if (trial % 4 == 0) return RandomMultiLabelProblem(random, 4, 4, 3, false);
  ProblemOptions shape = RandomOptions(random);
  shape.zero_features = false;
  shape.inputs = trial % 4 == 1 ? InputKind::kSparse : InputKind::kDense;
  shape.tied_weights = trial % 4 != 3;
  shape.num_variables = std::max<Index>(2, shape.num_variables);
  return RandomProblem(random, shape);
}

SolverKind ExactOracle(int trial) {
  return trial % 4 == 0 ? SolverKind::kRoof : SolverKind::kBruteForce;
}

struct Parts {
  Parts(const TrainingSet& training, double lambda, SolverKind kind, StepKind step,
        AverageKind average = AverageKind::kOff)
      : problem(training, lambda),
        oracle(problem, kind, CornerOracle::Effort::kTraining),
        blocks(problem, &oracle, step, average) {}

  void Pass(bool ask) {
    for (Index m = 0; m < problem.size(); ++m) blocks.Visit(m, ask);
  }
  std::string State() {
    StateWriter writer;
    SaveState(oracle, &writer);
    SaveState(blocks, &writer);
    return writer.bytes();
  }

  Problem problem;
  CornerOracle oracle;
  ActiveSetBlocks blocks;
};

double HingeBound(const ActiveSetBlocks& blocks, Index m, std::span<const double> weights,
                  SolverKind kind, const ActiveSetBlocks::CheckCopy* copy = nullptr) {
  CornerOracle checker(blocks.problem(), kind, CornerOracle::Effort::kChecking);
  checker.Refresh(weights);
  ActiveSetBlocks::CheckScratch scratch;
  return blocks.HingeBound(m, weights, &checker, &scratch, copy);
}

std::vector<double> Copy(std::span<const double> values) { return {values.begin(), values.end()}; }

}  // namespace

TEST_CASE("visits make the steps of a plain line search, towards corners and away from them") {
  Random random(1);
  int compared = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const TrainingSet training = AnyProblem(random, trial);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
      Parts parts(training, trial % 3 == 0 ? 1.0 : 0.1, ExactOracle(trial), step);
      CAPTURE(trial);
      for (const bool ask : {true, true, false, true, false, true}) {
        for (Index m = 0; m < parts.problem.size(); ++m)
          compared += CheckVisit(&parts.blocks, {}, m, step, ask);
      }
    }
  }
  CHECK(compared > 500);
}

TEST_CASE("with a proximal centre, steps are those of the proximal problem") {
  Random random(2);
  int compared = 0;
  for (int trial = 0; trial < 24; ++trial) {
    const TrainingSet training = AnyProblem(random, trial);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
      const double lambda = 0.2;
      Parts parts(training, lambda, ExactOracle(trial), step);
      std::vector<double> centre;
      CAPTURE(trial);
      for (const double kappa : {2.0, 0.5, 0.0, 1.0}) {
        centre = Copy(parts.blocks.weights());
        parts.blocks.MoveCentre(kappa * lambda);
        CHECK(parts.blocks.kappa() == kappa * lambda);
        CHECK(Copy(parts.blocks.reached()) == (kappa > 0 ? centre : Copy(parts.blocks.weights())));
        for (const bool ask : {true, false}) {
          for (Index m = 0; m < parts.problem.size(); ++m)
            compared += CheckVisit(&parts.blocks, centre, m, step, ask);
        }
        CHECK(Copy(parts.blocks.reached()) == Copy(parts.blocks.weights()));
      }
    }
  }
  CHECK(compared > 300);
}

TEST_CASE("weights of the point, rebuilt weights and points of examples are sums over alpha") {
  Random random(3);
  for (int trial = 0; trial < 16; ++trial) {
    Parts parts(AnyProblem(random, trial), 0.05, ExactOracle(trial), StepKind::kPairwise);
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

TEST_CASE("a gap that is kept from a visit is out of date once other examples have moved") {
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
        for (const Corner& corner : dual.example(m)) mean += corner.alpha * dual.Score(corner);
        // What is recomputed is the gap, whatever the visit had found.
        const double hinge = Hinge(parts.problem, m, weights);
        CHECK(Near(HingeBound(parts.blocks, m, weights, SolverKind::kRoof), hinge, kTight));
        const double gap = hinge - static_cast<double>(mean);
        CHECK(gap >= -kTight);
        grown += gap > kept[m] + 1e-3 ? 1 : 0;
        fallen += gap < kept[m] - 1e-3 ? 1 : 0;
        // Asked again without a step, the oracle finds the gap that is there now.
        CHECK(Near(parts.blocks.Ask(m, 0).gap, std::max(0.0, gap), kTight));
      }
      CHECK(Copy(parts.blocks.weights()) == weights);
    }
  }
  CHECK(grown > 20);
  CHECK(fallen > 20);
}

TEST_CASE("asking without a step tells how far a new corner lies beyond those that were kept") {
  Random random(5);
  int beyond = 0;
  for (int trial = 0; trial < 16; ++trial) {
    Parts parts(AnyProblem(random, trial), 0.05, ExactOracle(trial), StepKind::kPairwise);
    for (int pass = 0; pass < 3; ++pass) {
      for (Index m = 0; m < parts.problem.size(); ++m) {
        PlainDual dual(parts.blocks, {});
        Real most = -kInfinity;
        for (const Corner& corner : dual.example(m)) most = std::max(most, dual.Score(corner));
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

TEST_CASE("corners without weight are dropped at the eleventh visit, the ground truth never") {
  constexpr int kMostIdle = 10;
  struct Tracked {
    Corner corner;
    int idle = 0;
  };
  Random random(6);
  int dropped = 0;
  for (int trial = 0; trial < 6; ++trial) {
    Parts parts(RandomMultiLabelProblem(random, 4, 4, 3, false), 1e-3, SolverKind::kRoof,
                StepKind::kPairwise);
    std::vector<std::vector<Tracked>> tracked(parts.problem.size());
    for (int visit = 0; visit < 50; ++visit) {
      for (Index m = 0; m < parts.problem.size(); ++m) {
        parts.blocks.Visit(m, true);
        PlainDual dual(parts.blocks, {});
        std::vector<Tracked> now;
        for (const Corner& corner : dual.example(m)) {
          const auto known = std::ranges::find_if(
              tracked[m], [&](const Tracked& other) { return Same(other.corner, corner); });
          const int before = known == tracked[m].end() ? 0 : known->idle;
          now.push_back({corner, corner.alpha > 0 ? 0 : before + 1});
          if (now.size() > 1) CHECK(now.back().idle <= kMostIdle);
        }
        CHECK(now[0].corner.loss == 0);
        CHECK(now[0].corner.psi.norm() == 0);
        for (const Tracked& before : tracked[m]) {
          const bool stays = std::ranges::any_of(
              now, [&](const Tracked& other) { return Same(other.corner, before.corner); });
          if (!stays) CHECK(before.idle == kMostIdle);
          dropped += stays ? 0 : 1;
        }
        tracked[m] = std::move(now);
      }
    }
  }
  CHECK(dropped > 20);
}

TEST_CASE("corners without features, equal features with other losses, and duplicates") {
  Random random(7);
  for (int trial = 0; trial < 24; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.zero_features = trial % 3 == 0;
    shape.inputs = trial % 3 == 1 ? InputKind::kNone : InputKind::kDense;
    if (trial % 3 == 1) shape.num_factors = 0;  // losses alone
    shape.potentials = false;
    shape.duplicate_factors = !shape.forest && trial % 3 == 2;
    shape.repeat_examples = trial % 2 == 0;
    const TrainingSet training = RandomProblem(random, shape);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
      Parts parts(training, 0.1, SolverKind::kBruteForce, step);
      Real last = 0;
      for (int pass = 0; pass < 8; ++pass) {
        parts.Pass(pass % 2 == 0);
        const Real value = PlainDual(parts.blocks, {}).Value();
        CHECK(value >= last - kExact);
        last = value;
      }
      if (trial % 3 != 1) continue;
      // The dual is linear then: the corner of the largest loss has all the weight.
      for (Index m = 0; m < parts.problem.size(); ++m) {
        double most = 0;
        for (const DenseLabelling& labelling : DenseLabellings(parts.problem, m))
          most = std::max(most, labelling.loss);
        std::vector<double> coordinates;
        CHECK(Near(parts.blocks.PointOfExample(m, &coordinates), most, kExact));
      }
    }
  }
}

TEST_CASE("the dual never falls, and weights follow alpha, for features of any size") {
  Random random(8);
  for (int trial = 0; trial < 24; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.inputs = InputKind::kDense;
    shape.zero_features = false;
    if (trial % 3 == 0) {
      shape.uneven_inputs = true;
    } else {
      shape.input_scale = trial % 3 == 1 ? 1e-8 : 1e6;
    }
    const TrainingSet training = RandomProblem(random, shape);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
      Parts parts(training, 0.1, SolverKind::kBruteForce, step);
      Real last = 0;
      CAPTURE(trial);
      for (int pass = 0; pass < 10; ++pass) {
        parts.Pass(pass % 3 != 2);
        PlainDual dual(parts.blocks, {});
        CHECK(dual.Value() >= last - 1e-11);
        last = dual.Value();
        const Vector weights = dual.Weights();
        Real largest = 1;  // weights of a single corner: shares round
        for (Index m = 0; m < parts.problem.size(); ++m) {
          for (const Corner& corner : dual.example(m))
            largest = std::max(largest, corner.psi.norm() / Real(parts.problem.lambda_m()));
        }
        CHECK((AsVector(parts.blocks.weights()).cast<Real>() - weights).norm() <= kExact * largest);
      }
      CHECK(last > 0);
    }
  }
}

TEST_CASE("averages are those of the weights after every visit, also when the centre moves") {
  Random random(9);
  for (int trial = 0; trial < 8; ++trial) {
    const TrainingSet training = AnyProblem(random, trial);
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

TEST_CASE("bounds hold at any weights, and those of a copy while the blocks go on") {
  Random random(10);
  for (int trial = 0; trial < 12; ++trial) {
    Parts parts(AnyProblem(random, trial), 0.1, ExactOracle(trial), StepKind::kPairwise);
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

TEST_CASE("another lambda begins at the best mixture of the point and the ground truth") {
  Random random(11);
  int mixed = 0;
  for (int trial = 0; trial < 16; ++trial) {
    Parts parts(AnyProblem(random, trial), trial % 2 == 0 ? 1.0 : 0.05, ExactOracle(trial),
                StepKind::kPairwise);
    for (int pass = 0; pass < 5; ++pass) parts.Pass(true);
    const PlainDual before(parts.blocks, {});
    const Vector gradient = before.Point() * Real(parts.problem.lambda());
    const Real loss = before.Loss();
    const double lambda = trial % 4 < 2 ? 0.02 : 0.5;
    const Problem next = parts.problem.WithLambda(lambda);
    parts.oracle.set_problem(next);
    parts.blocks.ChangeLambda(next);
    // f(θ) = θ loss − θ² ‖g‖² / (2λ) has its top in [0, 1] at:
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
    for (Index m = 0; m < next.size(); ++m)
      CheckVisit(&parts.blocks, {}, m, StepKind::kPairwise, true);
  }
  CHECK(mixed > 2);
}

TEST_CASE("blocks that are written and read back go on bit for bit") {
  Random random(12);
  for (int trial = 0; trial < 16; ++trial) {
    const TrainingSet training = AnyProblem(random, trial);
    const StepKind step = trial % 2 == 0 ? StepKind::kPairwise : StepKind::kAway;
    const AverageKind average = trial % 3 == 0 ? AverageKind::kWeighted : AverageKind::kOff;
    Parts first(training, 0.1, ExactOracle(trial), step, average);
    if (trial % 2 == 0) first.blocks.MoveCentre(0.2);
    for (int pass = 0; pass < 4; ++pass) first.Pass(pass != 1);
    if (trial % 4 == 2) first.blocks.MoveCentre(0.1);  // weights lie at the centre
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
