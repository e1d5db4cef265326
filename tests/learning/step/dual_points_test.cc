// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/dual_points.h>

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <tests/support/states.h>

#include "tests/support/forest_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

void Fill(Random& random, DualPoints* points) {
  for (Index m = 0; m < points->size(); ++m) {
    for (double& value : points->coordinates(m)) value = random.Normal();
    points->set_loss(m, random.Uniform());
  }
}

}  // namespace

TEST_CASE("a point at the ground truth has zero weights and zero loss") {
  Random random(1);
  const Problem problem(ForestProblem(random, 2), 0.1);
  const DualPoints points(problem);
  std::vector<double> weights;
  points.Weights(problem, &weights);
  CHECK(weights == std::vector<double>(problem.num_weights(), 0.0));
  CHECK(points.MeanLoss() == 0);
  std::vector<double> coordinates;
  CHECK(points.Read(problem.data().example(0), 0, 1, &coordinates) == 0);
  std::vector<double> given(coordinates.size(), 0.0);
  AddLabellingFeatures(problem.data().example(0), problem.data().example(0).labels(), 1, given);
  CHECK(coordinates == given);
}

TEST_CASE("mixtures mix weights and losses") {
  Random random(2);
  for (int trial = 0; trial < 5; ++trial) {
    const Problem problem(ForestProblem(random, trial), 0.1);
    DualPoints a(problem);
    DualPoints b(problem);
    Fill(random, &a);
    Fill(random, &b);
    std::vector<double> wa, wb, mixed;
    a.Weights(problem, &wa);
    b.Weights(problem, &wb);
    const double loss = 0.7 * a.MeanLoss() + 0.3 * b.MeanLoss();
    a.Mix(0.3, b);
    a.Weights(problem, &mixed);
    for (std::size_t k = 0; k < wa.size(); ++k)
      CHECK(Near(mixed[k], 0.7 * wa[k] + 0.3 * wb[k], kExact));
    CHECK(Near(a.MeanLoss(), loss, kExact));
    // Half of the way to the ground truth.
    std::vector<double> half, whole, none;
    const ExampleView example = problem.data().example(0);
    CHECK(Near(a.Read(example, 0, 0.5, &half), 0.5 * a.loss(0), kExact));
    a.Read(example, 0, 1, &whole);
    a.Read(example, 0, 0, &none);
    for (std::size_t k = 0; k < half.size(); ++k) {
      CHECK(Near(half[k], 0.5 * (whole[k] + none[k]), kExact));
      CHECK(Near(none[k] - whole[k], a.coordinates(0)[k], kExact));
    }
  }
}

TEST_CASE("a step towards a point of one example is a mixture for this example") {
  Random random(4);
  const Problem problem(ForestProblem(random, 3), 0.1);
  DualPoints points(problem);
  DualPoints targets(problem);
  Fill(random, &points);
  Fill(random, &targets);
  DualPoints mixed = points;
  mixed.Mix(0.3, targets);
  const DualPoints before = points;
  std::vector<double> direction;
  points.Towards(1, targets.coordinates(1), &direction);
  points.Move(1, 0.3, direction, targets.loss(1));
  CHECK(Near(points.loss(1), mixed.loss(1), kExact));
  for (std::size_t k = 0; k < direction.size(); ++k)
    CHECK(Near(points.coordinates(1)[k], mixed.coordinates(1)[k], kExact));
  CHECK(points.loss(0) == before.loss(0));
  CHECK(std::ranges::equal(before.coordinates(0), points.coordinates(0)));
  // The direction may overwrite its target.
  std::vector<double> same(targets.coordinates(0).begin(), targets.coordinates(0).end());
  points.Towards(0, same, &same);
  for (std::size_t k = 0; k < same.size(); ++k)
    CHECK(same[k] == targets.coordinates(0)[k] - before.coordinates(0)[k]);
}

TEST_CASE("points are set, scaled and added") {
  Random random(5);
  const Problem problem(ForestProblem(random, 3), 0.1);
  DualPoints points(problem);
  Fill(random, &points);
  const DualPoints before = points;
  points.Scale(0.5);
  for (std::size_t k = 0; k < before.coordinates().size(); ++k)
    CHECK(points.coordinates()[k] == 0.5 * before.coordinates()[k]);
  CHECK(Near(points.TotalLoss(), 0.5 * before.TotalLoss(), kExact));
  points.Scale(0, 2);
  CHECK(points.loss(0) == before.loss(0));
  CHECK(points.loss(1) == 0.5 * before.loss(1));
  points.Add(1, 0.5, before.coordinates(1), before.loss(1));
  CHECK(points.loss(1) == before.loss(1));
  points.Set(2, before.coordinates(2), before.loss(2));
  for (Index m = 0; m < 3; ++m) {
    CHECK(std::ranges::equal(before.coordinates(m), points.coordinates(m)));
    CHECK(before.losses()[m] == points.loss(m));
  }
  // Σ_m ψ_m(μ_m) is λM times the weights.
  std::vector<double> weights;
  points.Weights(problem, &weights);
  std::vector<double> sum(weights.size(), 0.0);
  points.AddFeatures(problem, 1, sum);
  for (std::size_t k = 0; k < sum.size(); ++k)
    CHECK(Near(sum[k], problem.lambda_m() * weights[k], kExact));
}

TEST_CASE("points are saved and loaded, and points of other problems refused") {
  Random random(3);
  const Problem problem(ForestProblem(random, 1), 0.1);
  DualPoints points(problem);
  Fill(random, &points);
  DualPoints loaded(problem);
  LoadAll(StateOf(points), loaded);
  for (Index m = 0; m < points.size(); ++m) {
    CHECK(loaded.loss(m) == points.loss(m));
    CHECK(std::ranges::equal(loaded.coordinates(m), points.coordinates(m)));
  }
  const Problem other(ForestProblem(random, 4), 0.1);
  DualPoints different(other);
  CHECK_THROWS_AS(LoadAll(StateOf(points), different), DataError);
  CHECK_THROWS_AS(different.Mix(0.5, points), std::invalid_argument);
}
