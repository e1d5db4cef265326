// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the engine of example blocks with plain code that uses dense features only and computes
// the lengths of its steps from values of the dual.
#include <slackline/learning/example_blocks/active_set_blocks.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/factors/model_builder.h>

#include "tests/support/active_set_parts.h"
#include "tests/support/dense_labellings.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/plain_dual.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using DualCorner = PlainDual::Corner;
using Real = PlainDual::Real;
using Vector = PlainDual::Vector;

std::vector<double> ToDoubles(const Vector& values) { return {values.begin(), values.end()}; }

/// Compares α of the blocks with α of the plain dual, corner by corner. Corners that the blocks
/// have dropped must have no weight.
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

/// Checks what holds for every visit, whatever its steps: the gain, the weights, and the gap that
/// local steps leave.
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

/// Checks the oracle's part of a visit, the corner found and the gap, by enumeration.
void CheckAnswer(PlainDual* dual, const ActiveSetBlocks& blocks, Index m,
                 const ActiveSetBlocks::VisitResult& visit) {
  for (Index a = 0; a < blocks.kept(m); ++a) {
    const DualCorner corner = dual->ReadCorner(m, blocks.sets()[m], a);
    if (FindCorner(dual->example(m), corner) == dual->example(m).end())
      dual->example(m).push_back(corner);
  }
  Real most = -kInfinity;
  Real mean = 0;
  for (const DualCorner& corner : dual->example(m)) {
    most = std::max(most, dual->Score(corner));
    mean += corner.alpha * dual->Score(corner);
  }
  const double best = Hinge(blocks.problem(), m, ToDoubles(dual->Weights()));
  CHECK(Near(static_cast<double>(most), best, kTight));
  CHECK(Near(visit.gap, std::max(0.0, best - static_cast<double>(mean)), kTight));
  CHECK(visit.open >= visit.gap);
}

/// Compares a visit with the same visit in plain code. Returns the number of steps whose lengths
/// were compared: 0 where rounding decides between corners.
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

/// Examples of two variables with shared weights. The input of the first variable is a hundred
/// times as long, so that corners which differ only in the second variable have most of their
/// features in common.
TrainingSet LongAndShort(Random& random, Index examples) {
  const auto layout = std::make_shared<WeightLayout>();
  const Index block = layout->AddBlock("states", 3, 2);
  ModelBuilder builder(layout);
  for (Index i = 0; i < 2; ++i) builder.AddLinearFeatures(builder.AddVariable(3), block, i);
  const auto structure = builder.Build();
  const auto rows = std::make_shared<FeatureRows>();
  for (Index k = 0; k < 2 * examples; ++k) {
    const double scale = k % 2 == 0 ? 100 : 1;
    rows->AddDense(std::vector<double>{scale * random.Normal(), scale * random.Normal()});
  }
  Dataset data(layout, rows);
  for (Index m = 0; m < examples; ++m) {
    data.Add(structure,
             std::vector<Index>{static_cast<Index>(random.Below(3)),
                                static_cast<Index>(random.Below(3))},
             2 * m);
  }
  return MakeTrainingSet(data, {});
}

}  // namespace

TEST_CASE("visits take the steps of a plain line search, towards corners and away from them") {
  Random random(1);
  int compared = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const TrainingSet training = SmallProblem(random, trial);
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

TEST_CASE("steps between corners that have most of their features in common are no shorter") {
  Random random(14);
  int compared = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const TrainingSet training = LongAndShort(random, 4);
    for (const StepKind step : {StepKind::kPairwise, StepKind::kAway}) {
      Parts parts(training, 0.5, SolverKind::kBruteForce, step);
      for (int visit = 0; visit < 8; ++visit) {
        for (Index m = 0; m < parts.problem.size(); ++m)
          compared += CheckVisit(&parts.blocks, {}, m, step, visit % 3 != 2);
      }
    }
  }
  CHECK(compared > 300);
}

TEST_CASE("with a proximal centre, steps are those of the proximal problem") {
  Random random(2);
  int compared = 0;
  for (int trial = 0; trial < 24; ++trial) {
    const TrainingSet training = SmallProblem(random, trial);
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

TEST_CASE("corners without weight are dropped at the eleventh visit, the ground truth never") {
  constexpr int kMostIdle = 10;
  struct Tracked {
    DualCorner corner;
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
        for (const DualCorner& corner : dual.example(m)) {
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

TEST_CASE("corners without features, with equal features, and duplicates are handled") {
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
      // Here the dual is linear: the corner of the largest loss gets all the weight.
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

TEST_CASE("the dual never falls, and the weights match alpha, for features of any size") {
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
        // Relative to the weights of a single corner, since the shares are rounded.
        Real largest = 1;
        for (Index m = 0; m < parts.problem.size(); ++m) {
          for (const DualCorner& corner : dual.example(m))
            largest = std::max(largest, corner.psi.norm() / Real(parts.problem.lambda_m()));
        }
        CHECK((AsVector(parts.blocks.weights()).cast<Real>() - weights).norm() <= kExact * largest);
      }
      CHECK(last > 0);
    }
  }
}
