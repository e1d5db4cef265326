// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/dual_mixture.h>

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/support/states.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("the mixture of two points is the exact line search") {
  // f = ℓ − ½λ‖w‖²; w = (1,0) and (−1,0), ℓ = 1: the middle has w = 0 and f = 1.
  DualMixture mixture(2.0);
  CHECK(mixture.value() == -kInfinity);
  mixture.Add({1, 0}, 1);
  CHECK(mixture.value() == doctest::Approx(0));
  mixture.Add({-1, 0}, 1);
  CHECK(mixture.value() == doctest::Approx(1));
  CHECK(mixture.weights()[0] == doctest::Approx(0));
}

TEST_CASE("the value of a mixture never falls and never exceeds the optimum") {
  // Points (w, ℓ) with ℓ = 1 − |w_1|: every mixture has ℓ ≤ 1, hence f ≤ 1.
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

TEST_CASE("a mixture with a forged value is not loaded") {
  DualMixture mixture(2.0);
  mixture.Add({1, 0}, 1.5);
  mixture.Add({-1, 0.5}, 1);
  const std::string saved = StateOf(mixture, 2);
  DualMixture again(2.0);
  LoadAll(saved, again, 2);
  CHECK(again.value() == mixture.value());
  // The value follows the tag in the bytes. Any other value is refused, so that no state claims a
  // bound that its points do not have.
  const std::size_t at = 8 + std::string_view("mixture").size();
  for (const double value : {mixture.value() + 1e-3, kInfinity, -kInfinity, std::nan("")}) {
    std::string forged = saved;
    std::memcpy(forged.data() + at, &value, sizeof value);
    CHECK_THROWS_AS(LoadAll(forged, again, 2), DataError);
  }
}
