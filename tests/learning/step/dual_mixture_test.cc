// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/dual_mixture.h>

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <slackline/learning/state_archive.h>
#include <tests/support/states.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

double Value(const std::vector<double>& linear, const std::vector<double>& q,
             const std::vector<double>& a) {
  double value = 0;
  const std::size_t n = a.size();
  for (std::size_t j = 0; j < n; ++j) {
    value += linear[j] * a[j];
    for (std::size_t k = 0; k < n; ++k) value -= 0.5 * a[j] * q[j * n + k] * a[k];
  }
  return value;
}

}  // namespace

TEST_CASE("SimplexMaximumBeatsAFineGrid") {
  Random random(11);
  for (int trial = 0; trial < 30; ++trial) {
    // Q = BᵀB of rank 2: singular, as Gram matrices of nearly equal points are.
    std::vector<double> b(6);
    std::vector<double> linear(3);
    for (double& x : b) x = random.Normal();
    for (double& x : linear) x = random.Normal();
    std::vector<double> q(9);
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) q[j * 3 + k] = b[j] * b[k] + b[3 + j] * b[3 + k];
    }
    const std::vector<double> best = MaximiseOnSimplex(linear, q);
    double total = 0;
    for (const double a : best) {
      CHECK(a >= 0);
      total += a;
    }
    CHECK(test::Near(total, 1, test::kExact));
    double grid = -kInfinity;
    for (int x = 0; x <= 200; ++x) {
      for (int y = 0; x + y <= 200; ++y) {
        grid = std::max(grid, Value(linear, q, {x / 200.0, y / 200.0, (200 - x - y) / 200.0}));
      }
    }
    CHECK(Value(linear, q, best) >= grid - test::kTight);
  }
}

TEST_CASE("MixtureOfTwoPointsIsTheExactLineSearch") {
  // f = ℓ − ½λ‖w‖²; w = (1,0) and (−1,0), ℓ = 1: the middle has w = 0 and f = 1.
  DualMixture mixture(2.0);
  CHECK(mixture.value() == -kInfinity);
  mixture.Add({1, 0}, 1);
  CHECK(mixture.value() == doctest::Approx(0));
  mixture.Add({-1, 0}, 1);
  CHECK(mixture.value() == doctest::Approx(1));
  CHECK(mixture.weights()[0] == doctest::Approx(0));
}

TEST_CASE("MixtureNeverGetsWorseAndNeverBeatsTheOptimum") {
  // Points (w, ℓ) with ℓ = 1 − |w_1|: whatever is mixed, ℓ ≤ 1, hence f ≤ 1.
  Random random(4);
  DualMixture mixture(1.0);
  double last = -kInfinity;
  for (int k = 0; k < 40; ++k) {
    const double a = random.Normal();
    const double b = random.Normal();
    mixture.Add({a, b}, 1 - std::abs(a));
    CHECK(mixture.value() >= last);
    CHECK(mixture.value() <= 1);
    last = mixture.value();
  }
  CHECK(last > 0.9);
}

TEST_CASE("TheMaximumOnASimplexSurvivesNumbersThatOverflow") {
  CHECK(MaximiseOnSimplex({}, {}).empty());
  const std::vector<double> wild = {kInfinity, -kInfinity, std::nan(""), 1e308, -1e308, 1e200,
                                    1,         0};
  Random random(9);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t n = 1 + random.Below(4);
    std::vector<double> linear(n);
    std::vector<double> q(n * n);
    for (double& value : linear) value = wild[random.Below(wild.size())];
    for (double& value : q) value = wild[random.Below(wild.size())];
    CHECK(MaximiseOnSimplex(linear, q).size() == n);
  }
}

TEST_CASE("AMixtureIsLoadedWithItsOwnValueOnly") {
  DualMixture mixture(2.0);
  mixture.Add({1, 0}, 1.5);
  mixture.Add({-1, 0.5}, 1);
  StateWriter writer;
  SaveState(mixture, &writer, 2);
  DualMixture again(2.0);
  StateReader reader(writer.bytes());
  LoadState(again, &reader, 2);
  CHECK(again.value() == mixture.value());
  // Its value follows the tag; any other is refused, so that no state claims a bound that its
  // points do not have.
  const std::size_t at = 8 + std::string_view("mixture").size();
  for (const double value : {mixture.value() + 1e-3, kInfinity, -kInfinity, std::nan("")}) {
    std::string forged = writer.bytes();
    std::memcpy(forged.data() + at, &value, sizeof value);
    StateReader forged_reader(forged);
    CHECK_THROWS_AS(LoadState(again, &forged_reader, 2), DataError);
  }
}
