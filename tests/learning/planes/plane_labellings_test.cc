// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/planes/plane_labellings.h>

#include <atomic>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>

#include "tests/support/agreement.h"
#include "tests/support/never.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::vector<double> RandomWeights(Random& random, const Problem& problem) {
  std::vector<double> weights(problem.num_weights());
  for (double& w : weights) w = 2 * random.Uniform() - 1;
  return weights;
}

TrainOptions ByEnumeration() { return {.oracle = SolverKind::kBruteForce}; }

double Risk(const Problem& problem, std::span<const double> weights) {
  return ExactPrimal(problem.training(), problem.lambda(), weights) -
         Regulariser(problem.lambda(), weights);
}

}  // namespace

TEST_CASE("planes touch the risk at their point, and are never above it") {
  Random random(1);
  for (int trial = 0; trial < 24; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    PlaneLabellings kept(problem, ByEnumeration());
    NewPlane asked, recalled;
    for (int round = 0; round < 4; ++round) {
      const std::vector<double> w = RandomWeights(random, problem);
      // Before the oracle is called, the kept labellings give a lower plane.
      kept.Recall(w, kNever, &recalled);
      kept.Ask(w, kNever, &asked);
      CAPTURE(trial);
      CHECK(asked.whole);
      CHECK(Near(asked.value, Risk(problem, w), kTight));
      CHECK(Near(PlaneBundle::At(asked.direction, asked.offset, w), asked.value, kTight));
      CHECK(Near(PlaneBundle::At(recalled.direction, recalled.offset, w), recalled.value, kTight));
      CHECK(recalled.value <= asked.value + kTight);
      CHECK(recalled.value >= -kTight);
      kept.Recall(w, kNever, &recalled);
      CHECK(Near(recalled.value, asked.value, kTight));
      const std::vector<double> elsewhere = RandomWeights(random, problem);
      CHECK(PlaneBundle::At(asked.direction, asked.offset, elsewhere) <=
            Risk(problem, elsewhere) + kTight);
    }
    CHECK(kept.oracle_calls() == 4 * problem.size());
  }
}

TEST_CASE("an interrupted plane is a valid lower bound") {
  Random random(2);
  const std::atomic<int> interrupt = 1;
  const StopControl at_once(&interrupt, 0);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    PlaneLabellings kept(problem, ByEnumeration());
    NewPlane plane;
    const std::vector<double> w = RandomWeights(random, problem);
    kept.Ask(w, at_once, &plane);
    CHECK(plane.whole == (problem.size() == 1));
    CHECK(kept.oracle_calls() == 1);
    CHECK(plane.value <= Risk(problem, w) + kTight);
    CHECK(Near(PlaneBundle::At(plane.direction, plane.offset, w), plane.value, kTight));
  }
}

TEST_CASE("labellings of dropped planes are dropped, and the others keep their planes") {
  Random random(4);
  int dropped = 0;
  for (int trial = 0; trial < 16; ++trial) {
    const Problem problem(SomeProblem(random, trial), 0.1);
    PlaneLabellings kept(problem, ByEnumeration());
    PlaneBundle bundle(problem.num_weights(), problem.size(), problem.lambda());
    NewPlane plane;
    for (int round = 0; round < 12; ++round) {
      kept.Ask(RandomWeights(random, problem), kNever, &plane);
      bundle.Add(plane.direction, plane.offset, plane.corners);
    }
    bundle.Solve(1e-12);
    std::size_t before = 0;
    for (const ActiveSet& set : kept.sets()) before += set.size();
    bundle.DropIdle(1);
    if (bundle.DropIdle(1)) kept.DropUnused(&bundle);
    std::size_t after = 0;
    for (const ActiveSet& set : kept.sets()) after += set.size();
    dropped += after < before ? 1 : 0;
    // The dual point computed from the corners has the value that the bundle reports.
    std::vector<double> w(problem.num_weights(), 0.0);
    double loss = 0;
    std::vector<double> coordinates;
    for (Index m = 0; m < problem.size(); ++m) {
      const ExampleView example = problem.data().example(m);
      coordinates.assign(example.structure().num_coordinates(), 0.0);
      kept.AddPoint(m, 0, -1, coordinates);
      for (Index k = 0; k < bundle.size(); ++k) {
        const Index corner = std::as_const(bundle).corners(k)[m];
        REQUIRE(corner < kept.sets()[m].size());
        loss += kept.AddPoint(m, corner, bundle.alpha(k), coordinates);
      }
      ScatterFeatures(example, coordinates, -1 / problem.lambda_m(), w);
    }
    CHECK(Near(loss / problem.size() - Regulariser(problem.lambda(), w), bundle.value(), kTight));
  }
  CHECK(dropped > 8);
}
