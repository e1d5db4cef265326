// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/dual_points.h>

#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>

#include "tests/support/forest_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline;
using namespace slackline::test;

namespace {

void Fill(Random& random, DualPoints* points) {
  for (Index m = 0; m < points->size(); ++m) {
    for (double& value : points->coordinates(m)) value = random.Normal();
    points->set_loss(m, random.Uniform());
  }
}

}  // namespace

TEST_CASE("APointAtTheGivenLabellingsHasNoWeightsAndNoLoss") {
  Random random(1);
  const Problem problem(ForestProblem(random, 2), 0.1);
  const DualPoints points(problem);
  std::vector<double> weights;
  points.Weights(problem, &weights);
  CHECK(weights == std::vector<double>(static_cast<std::size_t>(problem.num_weights()), 0.0));
  CHECK(points.MeanLoss() == 0);
  std::vector<double> coordinates;
  CHECK(points.Read(problem.data().example(0), 0, 1, &coordinates) == 0);
  std::vector<double> given(coordinates.size(), 0.0);
  AddLabellingFeatures(problem.data().example(0), problem.data().example(0).labels(), 1, given);
  CHECK(coordinates == given);
}

TEST_CASE("MixturesMixWeightsAndLosses") {
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
    for (std::size_t k = 0; k < wa.size(); ++k) CHECK(Near(mixed[k], 0.7 * wa[k] + 0.3 * wb[k], kExact));
    CHECK(Near(a.MeanLoss(), loss, kExact));
    // Half of the way to the given labellings.
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

TEST_CASE("PointsAreSavedAndThoseOfOtherProblemsRefused") {
  Random random(3);
  const Problem problem(ForestProblem(random, 1), 0.1);
  DualPoints points(problem);
  Fill(random, &points);
  StateWriter writer;
  points.Save(&writer);
  DualPoints loaded(problem);
  StateReader reader(writer.bytes());
  loaded.Load(&reader);
  reader.Finish();
  for (Index m = 0; m < points.size(); ++m) {
    CHECK(loaded.loss(m) == points.loss(m));
    CHECK(std::equal(loaded.coordinates(m).begin(), loaded.coordinates(m).end(),
                     points.coordinates(m).begin()));
  }
  const Problem other(ForestProblem(random, 4), 0.1);
  DualPoints different(other);
  StateReader again(writer.bytes());
  CHECK_THROWS_AS(different.Load(&again), DataError);
  CHECK_THROWS_AS(different.Mix(0.5, points), std::invalid_argument);
}
