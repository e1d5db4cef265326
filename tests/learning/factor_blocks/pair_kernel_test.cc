// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the vector kernel with single steps in plain code.
#include <slackline/learning/factor_blocks/pair_kernel.h>

#include <array>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/learning/step/smooth_maximum.h>
#include <slackline/learning/step/step.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;

namespace {

struct PairArrays {
  explicit PairArrays(Index count)
      : mu(4 * count), eta(2 * count), p(2 * count), w(count), n(count) {}
  PairPlanes Planes(bool multipliers) {
    PairPlanes planes;
    planes.count = n;
    for (int y = 0; y < 4; ++y) planes.mu[y] = mu.data() + y * n;
    if (multipliers) {
      planes.eta[0] = eta.data();
      planes.eta[1] = eta.data() + n;
    }
    planes.p_first = p.data();
    planes.p_second = p.data() + n;
    planes.weights = w.data();
    return planes;
  }
  std::vector<double> mu, eta, p, w;
  Index n;
};

PairArrays RandomPairs(Random& random, Index count) {
  PairArrays pairs(count);
  for (Index k = 0; k < count; ++k) {
    double total = 0;
    for (int y = 0; y < 4; ++y) {
      // A third of the entries is zero, so that supports of all sizes occur.
      const double value = random.Below(3) == 0 ? 0 : random.Uniform();
      pairs.mu[y * count + k] = value;
      total += value;
    }
    if (total == 0) pairs.mu[k] = total = 1;
    for (int y = 0; y < 4; ++y) pairs.mu[y * count + k] /= total;
    for (int side = 0; side < 2; ++side) {
      pairs.eta[side * count + k] = random.Normal();
      pairs.p[side * count + k] = random.Uniform();
    }
    pairs.w[k] = random.Normal();
  }
  return pairs;
}

std::array<double, 4> Theta(const PairArrays& pairs, Index k, bool multipliers,
                            const PairScales& scales) {
  const auto at = [&](const std::vector<double>& plane, int row) {
    return plane[row * pairs.n + k];
  };
  double a = (at(pairs.mu, 2) + at(pairs.mu, 3) - at(pairs.p, 0)) * scales.inverse_rho;
  double b = (at(pairs.mu, 1) + at(pairs.mu, 3) - at(pairs.p, 1)) * scales.inverse_rho;
  if (multipliers) {
    a += at(pairs.eta, 0);
    b += at(pairs.eta, 1);
  }
  return {a + b, a - b, b - a, at(pairs.w, 0) - a - b};
}

/// One step with the plain functions of step.h.
void PlainStep(PairArrays* pairs, Index k, StepKind kind, bool multipliers,
               const PairScales& scales) {
  std::array<double, 4> theta = Theta(*pairs, k, multipliers, scales);
  std::array<double, 4> mu;
  for (int y = 0; y < 4; ++y) {
    mu[y] = pairs->mu[y * pairs->n + k];
    theta[y] -= scales.smoothing * mu[y];
  }
  const Direction direction = ChooseDirection(kind, theta.data(), mu.data(), 4);
  std::array<double, 4> d{};
  for (int y = 0; y < 4; ++y) d[y] = direction.v < 0 ? -mu[y] : 0.0;
  d[direction.s] += 1;
  if (direction.v >= 0) d[direction.v] -= 1;
  const double q =
      d[3] * d[3] * scales.inverse_lambda_m +
      2 * scales.inverse_rho * ((d[2] + d[3]) * (d[2] + d[3]) + (d[1] + d[3]) * (d[1] + d[3]));
  const double length = scales.smoothing * SquaredLength(direction, mu.data(), 4);
  const double step = LineSearch(direction.gap, q + length, direction.limit);
  MoveAlong(direction, step, 4, mu.data());
  for (int y = 0; y < 4; ++y) pairs->mu[y * pairs->n + k] = mu[y];
  pairs->w[k] -= step * d[3] * scales.inverse_lambda_m;
  if (!multipliers) return;
  const std::size_t c = k;
  const std::size_t n = pairs->n;
  pairs->eta[c] += scales.eta_step * (mu[2] + mu[3] - pairs->p[c]);
  pairs->eta[n + c] += scales.eta_step * (mu[1] + mu[3] - pairs->p[n + c]);
}

bool AllNear(const std::vector<double>& a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!test::Near(a[k], b[k], test::kExact)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("kernels take the steps of plain code") {
  Random random(3);
  for (const StepKind kind : {StepKind::kPairwise, StepKind::kFrankWolfe}) {
    for (const bool multipliers : {false, true}) {
      for (Index count = 0; count < 40; ++count) {
        PairArrays pairs = RandomPairs(random, count);
        PairArrays expected = pairs;
        const PairScales scales{0.1 + random.Uniform(), 0.1 + random.Uniform(),
                                multipliers ? random.Uniform() : 0.0,
                                multipliers || count % 2 == 0 ? 0.0 : 2 * random.Uniform()};
        const PairPlanes planes = pairs.Planes(multipliers);
        kind == StepKind::kPairwise ? PairPairwiseSteps(planes, scales)
                                    : PairFrankWolfeSteps(planes, scales);
        for (Index k = 0; k < count; ++k) PlainStep(&expected, k, kind, multipliers, scales);
        CHECK(AllNear(pairs.mu, expected.mu));
        CHECK(AllNear(pairs.eta, expected.eta));
        CHECK(AllNear(pairs.w, expected.w));
        for (const double mu : pairs.mu) CHECK(mu >= 0);
      }
    }
  }
}

TEST_CASE("a pair at its optimum stays there") {
  PairArrays pairs(1);
  pairs.mu = {1, 0, 0, 0};
  pairs.p = {0, 0};
  pairs.w = {-1};
  const PairScales scales{1, 1, 0};
  PairPairwiseSteps(pairs.Planes(true), scales);
  PairFrankWolfeSteps(pairs.Planes(true), scales);
  CHECK(pairs.mu == std::vector<double>{1, 0, 0, 0});
  CHECK(pairs.w[0] == -1);
}

TEST_CASE("smoothed gaps are smooth maxima minus the values of the points") {
  Random random(6);
  PairArrays pairs = RandomPairs(random, 9);
  const PairScales plain{0.7, 0.3, 0, 0};
  const PairScales smooth{0.7, 0.3, 0, 0.8};
  const PairSums hard = EvaluatePairs(pairs.Planes(false), plain);
  const PairSums sums = EvaluatePairs(pairs.Planes(false), smooth);
  CHECK(hard.smoothed == 0);
  CHECK(sums.maxima == hard.maxima);
  double smoothed = 0;
  double squares = 0;
  for (Index k = 0; k < 9; ++k) {
    const std::array<double, 4> theta = Theta(pairs, k, false, smooth);
    smoothed += SmoothMaximum(theta, 0.8);
    for (int y = 0; y < 4; ++y) {
      const double mu = pairs.mu[y * 9 + k];
      squares += mu * mu;
    }
  }
  CHECK(test::Near(sums.smoothed, smoothed - hard.maxima, test::kExact));
  CHECK(test::Near(sums.squares, squares, test::kExact));
  CHECK(test::Near(sums.gaps, hard.gaps + sums.smoothed + 0.4 * squares, test::kExact));
}

TEST_CASE("evaluations sum the gains of steps") {
  Random random(5);
  PairArrays pairs = RandomPairs(random, 13);
  const PairScales scales{0.7, 0.3, 0};
  const PairSums sums = EvaluatePairs(pairs.Planes(true), scales);
  double maxima = 0;
  double gaps = 0;
  double violation = 0;
  for (Index k = 0; k < 13; ++k) {
    const std::array<double, 4> theta = Theta(pairs, k, true, scales);
    double high = theta[0];
    double mean = 0;
    for (int y = 0; y < 4; ++y) {
      high = std::max(high, theta[y]);
      mean += theta[y] * pairs.mu[y * 13 + k];
    }
    maxima += high;
    gaps += high - mean;
    const double v_first = pairs.mu[26 + k] + pairs.mu[39 + k] - pairs.p[k];
    const double v_second = pairs.mu[13 + k] + pairs.mu[39 + k] - pairs.p[13 + k];
    violation += 2 * (v_first * v_first + v_second * v_second);
  }
  CHECK(test::Near(sums.maxima, maxima, test::kExact));
  CHECK(test::Near(sums.gaps, gaps, test::kExact));
  CHECK(test::Near(sums.violation_sq, violation, test::kExact));
}
