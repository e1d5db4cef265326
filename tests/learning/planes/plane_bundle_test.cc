// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/planes/plane_bundle.h>

#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/support/states.h>

#include "tests/support/quadratic_program.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

struct Plane {
  std::vector<double> a;
  double b = 0;
};

/// A random plane; every third plane is sparse, every fifth zero.
Plane RandomPlane(Random& random, int number, std::size_t size) {
  Plane plane;
  plane.a.assign(size, 0.0);
  for (std::size_t k = 0; k < size; ++k) {
    const bool empty = number % 5 == 4 || (number % 3 == 2 && k % 4 != 1);
    if (!empty) plane.a[k] = 2 * random.Uniform() - 1;
  }
  plane.b = random.Uniform();
  return plane;
}

/// min_w λ/2 ‖w‖² + max(0, max_k (b_k − w·a_k)), as a quadratic program in the dual.
double OptimumOfPlanes(const std::vector<Plane>& planes, double lambda) {
  const auto n = static_cast<Eigen::Index>(planes.size()) + 1;
  const auto d = static_cast<Eigen::Index>(planes[0].a.size());
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(d, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  for (Eigen::Index k = 1; k < n; ++k) {
    const Plane& plane = planes[k - 1];
    a.col(k) = Eigen::Map<const Eigen::VectorXd>(plane.a.data(), d);
    b[k] = plane.b;
  }
  return -SolveQp(a.transpose() * a / lambda, -b, Eigen::MatrixXd::Ones(1, n),
                  Eigen::VectorXd::Ones(1))
              .objective;
}

double Norm2(std::span<const double> w) {
  double sum = 0;
  for (const double x : w) sum += x * x;
  return sum;
}

double Model(const std::vector<Plane>& planes, std::span<const double> weights) {
  double most = 0;
  for (const Plane& plane : planes)
    most = std::max(most, PlaneBundle::At(plane.a, plane.b, weights));
  return most;
}

}  // namespace

TEST_CASE("the minimum of the model agrees with a dense quadratic program") {
  Random random(1);
  for (int trial = 0; trial < 30; ++trial) {
    const double lambda = trial % 2 == 0 ? 0.1 : 3;
    const std::size_t size = 1 + random.Below(12);
    PlaneBundle bundle(static_cast<Offset>(size), 2, lambda);
    std::vector<Plane> planes;
    for (int number = 0; number < 25; ++number) {
      planes.push_back(RandomPlane(random, number, size));
      bundle.Add(planes.back().a, planes.back().b, {1, 2});
      bundle.Solve(1e-12);
      const double optimum = OptimumOfPlanes(planes, lambda);
      CAPTURE(trial);
      CAPTURE(number);
      CHECK(Near(bundle.value(), optimum, kTight));
      CHECK(Near(bundle.cut(), Model(planes, bundle.weights()), kTight));
      CHECK(Near(lambda / 2 * Norm2(bundle.weights()) + bundle.cut(), optimum, kTight));
    }
  }
}

TEST_CASE("the value never falls") {
  Random random(7);
  for (int trial = 0; trial < 20; ++trial) {
    // Norms so large that the rounding errors of inner products exceed the values.
    const double size = trial % 2 == 0 ? 1 : 1e8;
    const double lambda = trial % 4 < 2 ? 1e-8 : 1;
    PlaneBundle bundle(6, 1, lambda);
    double value = 0;
    for (int number = 0; number < 40; ++number) {
      Plane plane = RandomPlane(random, number, 6);
      for (double& entry : plane.a) entry *= size;
      bundle.Add(plane.a, plane.b, {number});
      bundle.Solve(1e-9);
      CAPTURE(trial);
      CAPTURE(number);
      CHECK(bundle.value() >= value);
      value = bundle.value();
      bundle.DropIdle(3);
    }
    bundle.set_lambda(100 * lambda);
    value = bundle.value();
    bundle.Solve(1e-9);
    CHECK(bundle.value() >= value);
  }
}

TEST_CASE("planes without weight are dropped after the given number of rounds") {
  Random random(2);
  PlaneBundle bundle(8, 1, 0.05);
  int number = 0;
  for (; number < 40; ++number) {
    const Plane plane = RandomPlane(random, number, 8);
    bundle.Add(plane.a, plane.b, {number});
  }
  bundle.Solve(1e-12);
  const double value = bundle.value();
  const std::vector<double> weights(bundle.weights().begin(), bundle.weights().end());
  CHECK_FALSE(bundle.DropIdle(0));
  CHECK_FALSE(bundle.DropIdle(3));  // the second idle round
  CHECK_FALSE(bundle.DropIdle(3));
  CHECK(bundle.size() == 41);
  CHECK(bundle.DropIdle(3));
  CHECK(bundle.size() < 41);
  for (Index k = 1; k < bundle.size(); ++k) CHECK(bundle.alpha(k) > 0);
  bundle.Solve(1e-12);
  CHECK(Near(bundle.value(), value, kTight));
  for (std::size_t k = 0; k < weights.size(); ++k)
    CHECK(Near(bundle.weights()[k], weights[k], kSolver));
  // The remaining bundle still works: its inner products moved with its planes.
  const Plane plane = RandomPlane(random, 0, 8);
  bundle.Add(plane.a, plane.b + 1, {number});
  bundle.Solve(1e-12);
  CHECK(bundle.value() > value);
  CHECK(Near(bundle.value(), 0.05 / 2 * Norm2(bundle.weights()) + bundle.cut(), kTight));
}

TEST_CASE("planes hold for every lambda") {
  Random random(3);
  PlaneBundle bundle(6, 1, 1);
  std::vector<Plane> planes;
  for (int number = 0; number < 15; ++number) {
    planes.push_back(RandomPlane(random, number, 6));
    bundle.Add(planes.back().a, planes.back().b, {0});
  }
  for (const double lambda : {1.0, 0.01, 10.0, 1e-4}) {
    bundle.set_lambda(lambda);
    bundle.Solve(1e-13);
    CHECK(Near(bundle.value(), OptimumOfPlanes(planes, lambda), kTight));
  }
}

TEST_CASE("a saved bundle continues bit for bit") {
  Random random(4);
  PlaneBundle bundle(9, 2, 0.2);
  for (int number = 0; number < 12; ++number) {
    const Plane plane = RandomPlane(random, number, 9);
    bundle.Add(plane.a, plane.b, {number, 1});
  }
  bundle.Solve(1e-3);
  bundle.DropIdle(5);
  const std::string saved = StateOf(bundle);
  PlaneBundle other(9, 2, 0.2);
  LoadAll(saved, other);
  const Plane plane = RandomPlane(random, 0, 9);
  for (PlaneBundle* one : {&bundle, &other}) {
    one->Add(plane.a, plane.b, {7, 7});
    one->Solve(1e-12);
    one->DropIdle(1);
  }
  CHECK(StateOf(bundle) == StateOf(other));
  CHECK(bundle.value() == other.value());
  CHECK(bundle.cut() == other.cut());
  // A bundle for another problem.
  PlaneBundle longer(9, 3, 0.2);
  CHECK_THROWS_AS(LoadAll(saved, longer), DataError);
  PlaneBundle smaller(3, 2, 0.2);
  CHECK_THROWS_AS(LoadAll(saved, smaller), DataError);
}
