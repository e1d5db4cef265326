// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/standalone/prox_loss.h>

#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"
#include "tests/support/vectors.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Numbers = std::vector<double>;

std::vector<std::unique_ptr<SdcaLoss>> SomeLosses() {
  std::vector<std::unique_ptr<SdcaLoss>> losses;
  const Numbers signs = {1, -1};
  losses.push_back(std::make_unique<ScalarLoss>(ScalarLossKind::kHinge, signs));
  losses.push_back(std::make_unique<ScalarLoss>(ScalarLossKind::kSmoothedHinge, signs, 0.3));
  losses.push_back(std::make_unique<ScalarLoss>(ScalarLossKind::kLogistic, signs));
  losses.push_back(std::make_unique<ScalarLoss>(ScalarLossKind::kSquared, Numbers{0.7, -2}));
  losses.push_back(std::make_unique<ScalarLoss>(ScalarLossKind::kAbsolute, Numbers{0.7, -2}));
  losses.push_back(std::make_unique<ScalarLoss>(ScalarLossKind::kAbsolute, Numbers{0.7, -2}, 0.5));
  losses.push_back(std::make_unique<MulticlassLoss>(4, std::vector<Index>{2, 0}));
  losses.push_back(std::make_unique<MulticlassLoss>(3, std::vector<Index>{1, 2}, 0.4,
                                                    Numbers{0, 1, 2, 0.5, 0, 1, 3, 1, 0}));
  losses.push_back(std::make_unique<MulticlassLoss>(1, std::vector<Index>{0, 0}, 0.4));
  return losses;
}

Numbers RandomOutputs(Random& random, const SdcaLoss& loss) {
  Numbers z(loss.outputs());
  for (double& value : z) value = 2 * random.Normal();
  return z;
}

/// A random point of the domain of φ*: a convex combination of targets and 0.
Numbers RandomAlpha(Random& random, const SdcaLoss& loss, Index i) {
  Numbers alpha(loss.outputs(), 0.0), u(alpha);
  for (int k = 0; k < 3; ++k) {
    loss.Target(i, RandomOutputs(random, loss), u);
    const double share = random.Uniform();
    for (std::size_t j = 0; j < u.size(); ++j) alpha[j] += share * (u[j] - alpha[j]);
  }
  return alpha;
}

Numbers Along(const Numbers& alpha, const Numbers& direction, double s) {
  Numbers moved = alpha;
  for (std::size_t j = 0; j < moved.size(); ++j) moved[j] += s * direction[j];
  return moved;
}

}  // namespace

TEST_CASE("conjugates bound losses and touch them at targets") {
  Random random(1);
  for (const auto& loss : SomeLosses()) {
    for (int trial = 0; trial < 60; ++trial) {
      const Index i = trial % 2;
      const Numbers z = RandomOutputs(random, *loss);
      Numbers u(z.size());
      loss->Target(i, z, u);
      CHECK(Near(loss->Value(i, z) + loss->Conjugate(i, u), -Dot(z, u), 1e-12));
      CHECK(loss->Value(i, z) >= 0);
      CHECK(loss->InDomain(i, u));
      const Numbers alpha = RandomAlpha(random, *loss, i);
      CHECK(loss->Value(i, z) + loss->Conjugate(i, alpha) >= -Dot(z, alpha) - 1e-12);
      const Numbers other = RandomOutputs(random, *loss);
      const Numbers between = Along(z, other, 1);
      CHECK(std::abs(loss->Value(i, between) - loss->Value(i, z)) <=
            loss->lipschitz() * std::sqrt(Dot(other, other)) + 1e-12);
    }
  }
}

TEST_CASE("conjugates are as convex as gamma says") {
  Random random(2);
  for (const auto& loss : SomeLosses()) {
    for (int trial = 0; trial < 60; ++trial) {
      const Numbers a = RandomAlpha(random, *loss, 0);
      const Numbers b = RandomAlpha(random, *loss, 0);
      Numbers d = b;
      for (std::size_t j = 0; j < d.size(); ++j) d[j] -= a[j];
      const double s = random.Uniform();
      CHECK(loss->Conjugate(0, Along(a, d, s)) <=
            (1 - s) * loss->Conjugate(0, a) + s * loss->Conjugate(0, b) -
                0.5 * loss->gamma() * s * (1 - s) * Dot(d, d) + 1e-12);
    }
  }
}

TEST_CASE("line searches find the best point of their line") {
  Random random(3);
  for (const auto& loss : SomeLosses()) {
    for (int trial = 0; trial < 60; ++trial) {
      const Index i = trial % 2;
      const Numbers z = RandomOutputs(random, *loss);
      const Numbers alpha = RandomAlpha(random, *loss, i);
      Numbers direction(z.size());
      loss->Target(i, z, direction);
      for (std::size_t j = 0; j < z.size(); ++j) direction[j] -= alpha[j];
      const SdcaLine line{alpha, direction, Dot(z, direction),
                          trial % 3 == 0 ? 0.0 : 2 * random.Uniform()};
      const auto value = [&](double s) {
        return -loss->Conjugate(i, Along(alpha, direction, s)) - s * line.slope -
               0.5 * s * s * line.curvature;
      };
      const double best = loss->LineSearch(i, line);
      CHECK(best >= 0);
      CHECK(best <= 1);
      for (int k = 0; k <= 50; ++k) CHECK(value(0.02 * k) <= value(best) + 1e-11);
    }
  }
}

TEST_CASE("option one finds the best of all points") {
  Random random(4);
  for (const auto& loss : SomeLosses()) {
    for (int trial = 0; trial < 60; ++trial) {
      const Index i = trial % 2;
      const Numbers z = RandomOutputs(random, *loss);
      const Numbers alpha = RandomAlpha(random, *loss, i);
      const double curvature = trial % 5 == 0 ? 0.0 : random.Uniform();
      const auto value = [&](const Numbers& point) {
        double squares = 0;
        for (std::size_t j = 0; j < z.size(); ++j)
          squares += (point[j] - alpha[j]) * (point[j] - alpha[j]);
        return -loss->Conjugate(i, point) - Dot(z, point) - 0.5 * curvature * squares;
      };
      Numbers best = alpha;
      loss->Maximise(i, z, curvature, best);
      for (int k = 0; k < 30; ++k) {
        Numbers other = RandomAlpha(random, *loss, i);
        const double share = random.Uniform() * random.Uniform();
        for (std::size_t j = 0; j < z.size(); ++j)
          other[j] = best[j] + share * (other[j] - best[j]);
        CHECK(value(other) <= value(best) + 1e-11);
      }
    }
  }
}

TEST_CASE("smoothed losses are slightly above the hinge") {
  Random random(5);
  const MulticlassLoss sharp(4, {1}), smooth(4, {1}, 0.2);
  for (int trial = 0; trial < 100; ++trial) {
    const Numbers z = RandomOutputs(random, sharp);
    CHECK(smooth.Value(0, z) >= sharp.Value(0, z) - 1e-12);
    CHECK(smooth.Value(0, z) <= sharp.Value(0, z) + 0.2 / 2 * (1 - 0.25) + 1e-12);
  }
}

TEST_CASE("points outside of the domain are known") {
  const Numbers beyond = {1.01}, wrong_sign = {-0.1};
  for (const auto kind :
       {ScalarLossKind::kHinge, ScalarLossKind::kSmoothedHinge, ScalarLossKind::kLogistic}) {
    CHECK_FALSE(ScalarLoss(kind, {1}, 1).InDomain(0, beyond));
    CHECK_FALSE(ScalarLoss(kind, {1}, 1).InDomain(0, wrong_sign));
  }
  CHECK_FALSE(ScalarLoss(ScalarLossKind::kAbsolute, {3}).InDomain(0, beyond));
  CHECK(ScalarLoss(ScalarLossKind::kAbsolute, {3}).InDomain(0, wrong_sign));
  CHECK_FALSE(MulticlassLoss(2, {0}).InDomain(0, Numbers{0.5, 0.5}));
  CHECK_FALSE(MulticlassLoss(2, {0}).InDomain(0, Numbers{1.5, -1.5}));
}

TEST_CASE("losses refuse invalid parameters") {
  CHECK_THROWS_AS(ScalarLoss(ScalarLossKind::kHinge, {0.5}), std::invalid_argument);
  CHECK_THROWS_AS(ScalarLoss(ScalarLossKind::kSmoothedHinge, {1}), std::invalid_argument);
  CHECK_THROWS_AS(ScalarLoss(ScalarLossKind::kAbsolute, {1}, -0.1), std::invalid_argument);
  CHECK_THROWS_AS(ScalarLoss(ScalarLossKind::kAbsolute, {kInfinity}), std::invalid_argument);
  CHECK_THROWS_AS(MulticlassLoss(2, {2}), std::invalid_argument);
  CHECK_THROWS_AS(MulticlassLoss(2, {0}, -1), std::invalid_argument);
  CHECK_THROWS_AS(MulticlassLoss(2, {0}, 0, {0, 1, 1}), std::invalid_argument);
  CHECK_THROWS_AS(MulticlassLoss(2, {0}, 0, {1, 1, 1, 0}), std::invalid_argument);
}
