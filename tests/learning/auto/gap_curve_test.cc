// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/auto/gap_curve.h>
#include <tests/support/states.h>

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// A curve with log gap = −rate · work, one point per unit of work.
GapCurve Exponential(double rate, int points) {
  GapCurve curve;
  for (int work = 1; work <= points; ++work) curve.Add(work, std::exp(-rate * work));
  return curve;
}

}  // namespace

TEST_CASE("a curve without points has no estimate") {
  const GapCurve curve;
  CHECK(curve.Remaining(1e-3) == std::numeric_limits<double>::infinity());
  CHECK(curve.Stalled());
}

TEST_CASE("an exponential is extrapolated to the target, for any number of points") {
  for (const int points : {4, 10, 63, 64, 65, 200, 1000}) {
    const double rate = 8.0 / points;
    const GapCurve curve = Exponential(rate, points);
    INFO(points << " points");
    CHECK_FALSE(curve.Stalled());
    // Long curves drop every other point, including the newest.
    CHECK(curve.Remaining(std::exp(-12)) == doctest::Approx(points / 2.0).epsilon(0.05));
    CHECK(curve.Remaining(std::exp(-7)) == 0);
  }
}

TEST_CASE("a stalled gap is expected to need ten times the work so far") {
  GapCurve curve;
  for (int work = 1; work <= 8; ++work) curve.Add(work, work < 3 ? 2.0 / work : 0.5);
  CHECK(curve.Stalled());
  CHECK(curve.Remaining(0.1) == 80);
  CHECK(curve.Remaining(0.5) == 0);
  // A negligible fall of the gap counts as none.
  curve.Add(9, 0.5 - 1e-9);
  CHECK_FALSE(curve.Stalled());
  CHECK(curve.Remaining(0.1) == 90);
}

TEST_CASE("gaps that rise or are NaN do not count") {
  GapCurve curve = Exponential(0.5, 10);
  GapCurve other = curve;
  other.Add(11, std::nan(""));
  other.Add(11, std::numeric_limits<double>::infinity());
  CHECK(other.Remaining(1e-6) == curve.Remaining(1e-6));
  other.Add(11, 0.9);
  curve.Add(11, std::exp(-5));
  CHECK(other.Remaining(1e-6) == curve.Remaining(1e-6));
}

TEST_CASE("underestimated gaps are further from the target") {
  GapCurve curve = Exponential(0.5, 10);
  curve.Multiply(std::exp(1));
  CHECK(Near(curve.Remaining(std::exp(-6)), 4, kTight));
}

TEST_CASE("a saved curve continues unchanged") {
  for (const int points : {0, 1, 20, 70}) {
    GapCurve curve = Exponential(0.1, points);
    const std::string saved = StateOf(curve);
    GapCurve loaded = Exponential(0.3, 5);
    LoadAll(saved, loaded);
    CHECK(loaded.Remaining(1e-9) == curve.Remaining(1e-9));
    CHECK(loaded.Stalled() == curve.Stalled());
  }
}
