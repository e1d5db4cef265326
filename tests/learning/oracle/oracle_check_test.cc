// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/oracle_check.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/feature_map.h>
#include <slackline/learning/problem.h>

#include "tests/support/coordinates.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// One example whose scores and losses are of magnitude `scale`, at random weights.
struct Example {
  explicit Example(double scale) : problem(Make(scale), 1) {
    Random random(3);
    std::vector<double> weights(problem.num_weights());
    for (double& value : weights) value = scale * random.Normal();
    u.resize(view().structure().num_coordinates());
    CoordinateScores(view(), weights, u);
    std::vector<double> q = CoordinatesOf(view(), view().labels());
    for (std::size_t k = 0; k < q.size(); ++k) truth += u[k] * q[k];
  }
  static TrainingSet Make(double scale) {
    Random random(4);
    TrainingSet training = RandomProblem(random, {.num_examples = 1});
    for (double& loss : training.losses) loss *= scale;
    return training;
  }
  ExampleView view() const { return problem.data().example(0); }
  double Check(double bound, double least = 0) const {
    return CheckedHinge(0, {bound, truth, least},
                        [&] { return SizeOfScores(view(), u, problem.loss(0)); });
  }

  Problem problem;
  std::vector<double> u;
  double truth = 0;
};

}  // namespace

TEST_CASE("bounds below the ground truth are refused at every scale") {
  for (const double scale : {1e-30, 1e-12, 1e-6, 1.0, 1e6, 1e12, 1e30}) {
    const Example example(scale);
    const double size = SizeOfScores(example.view(), example.u, example.problem.loss(0));
    CAPTURE(scale);
    CHECK(size > 0.1 * scale);
    CHECK(size < 1e3 * scale);
    CHECK(Near(example.Check(example.truth + size) / size, 1, kTight));
    CHECK(example.Check(example.truth) == 0);
    // Just inside and just outside the tolerance for rounding.
    CHECK(example.Check(example.truth - 0.5e-9 * size) == 0);
    CHECK_THROWS_WITH_AS(example.Check(example.truth - 3e-9 * (size + 2 * std::abs(example.truth))),
                         doctest::Contains("the oracle is wrong: its bound on example 0"),
                         std::logic_error);
    CHECK_THROWS_AS(example.Check(std::nan("")), std::logic_error);
    CHECK_THROWS_AS(example.Check(-kInfinity), std::logic_error);
  }
}

TEST_CASE("the offset of the ground truth is the smallest hinge") {
  const Example example(1);
  CHECK(example.Check(example.truth + 2, 1) == 2);
  CHECK(example.Check(example.truth + 1, 1) == 1);
  CHECK(Near(example.Check(example.truth - 3, -4), -3, kExact));
  CHECK_THROWS_AS(example.Check(example.truth + 0.99, 1), std::logic_error);
}

TEST_CASE("large terms that cancel widen the tolerance for rounding") {
  // Scores of magnitude 1e9 of two parts cancel in the ground truth: the few digits left must not
  // count as a contradiction.
  Random random(5);
  const Problem problem(
      RandomProblem(
          random, {.num_examples = 1, .num_variables = 2, .num_factors = 0, .tied_weights = false}),
      1);
  const ExampleView example = problem.data().example(0);
  std::vector<double> u(example.structure().num_coordinates(), 0.0);
  std::vector<double> q = CoordinatesOf(example, example.labels());
  double sign = 1e9;
  for (std::size_t k = 0; k < q.size(); ++k) {
    if (q[k] == 0) continue;
    u[k] = sign;
    sign = -1e9 + 1;
  }
  const auto size = [&] { return SizeOfScores(example, u, problem.loss(0)); };
  CHECK(CheckedHinge(0, {1 - 1e-3, 1, 0}, size) == 0);
  std::fill(u.begin(), u.end(), 0.0);
  CHECK_THROWS_AS(CheckedHinge(0, {1 - 1e-3, 1, 0}, size), std::logic_error);
}

TEST_CASE("the size of scores is computed only for differences beyond the last digits") {
  int asked = 0;
  const auto size = [&asked] { return ++asked, 1e9; };
  CHECK(CheckedHinge(0, {3, 1, 0}, size) == 2);
  CHECK(CheckedHinge(0, {1, 1, 0}, size) == 0);
  CHECK(CheckedHinge(0, {1 - 1e-13, 1, 0}, size) == 0);
  CHECK(asked == 0);
  CHECK(CheckedHinge(0, {1 - 1e-12, 1, 0}, size) == 0);
  CHECK(asked == 1);
}
