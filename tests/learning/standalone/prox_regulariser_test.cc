// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/standalone/prox_regulariser.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"
#include "tests/support/vectors.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

std::vector<double> RandomVector(Random& random, std::size_t size, double scale) {
  std::vector<double> x = Normals(random, size, scale);
  return x;
}

std::vector<ProxRegulariser> SomeRegularisers(Offset d) {
  return {ProxRegulariser(ProxKind::kL2, d), ProxRegulariser(ProxKind::kElasticNet, d, 0.4),
          ProxRegulariser(ProxKind::kQNorm, d), ProxRegulariser(ProxKind::kQNorm, d, 0.4)};
}

/// g*(v + Δ) − g*(v) − ∇g*(v)·Δ − ½‖Δ‖²_D'
double ExcessOverSmoothness(const ProxRegulariser& g, const std::vector<double>& v,
                            const std::vector<double>& change) {
  std::vector<double> w(v.size()), moved(v);
  g.Gradient(v, w);
  double largest = 0;
  for (std::size_t k = 0; k < v.size(); ++k) {
    moved[k] += change[k];
    largest = std::max(largest, std::abs(change[k]));
  }
  const double norm = g.norm() == DualNorm::kEuclidean ? Dot(change, change) : largest * largest;
  return g.Conjugate(moved) - g.Conjugate(v) - Dot(w, change) - 0.5 * norm;
}

}  // namespace

TEST_CASE("gradients attain the maximum, and conjugates are its value") {
  Random random(1);
  for (const Offset d : {1, 3, 9, 40}) {
    for (const ProxRegulariser& g : SomeRegularisers(d)) {
      for (int trial = 0; trial < 20; ++trial) {
        const std::vector<double> v = RandomVector(random, d, trial % 2 ? 1.0 : 5.0);
        std::vector<double> w(v.size());
        g.Gradient(v, w);
        const double best = Dot(v, w) - g.Value(w);
        CHECK(Near(best, g.Conjugate(v), 1e-10));
        for (int other = 0; other < 10; ++other) {
          std::vector<double> near = RandomVector(random, v.size(), 0.05);
          for (std::size_t k = 0; k < w.size(); ++k) near[k] += w[k];
          CHECK(Dot(v, near) - g.Value(near) <= best + 1e-12);
        }
        for (std::size_t k = 0; k < w.size(); ++k) {
          const bool small = std::abs(v[k]) <= g.threshold();
          CHECK((w[k] == 0) == (small || v[k] == 0));
        }
      }
    }
  }
}

TEST_CASE("conjugates are smooth in their norm") {
  Random random(2);
  for (const Offset d : {2, 7, 30, 300}) {
    for (const ProxRegulariser& g : SomeRegularisers(d)) {
      for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> v = RandomVector(random, d, 1);
        std::vector<double> change = RandomVector(random, v.size(), trial % 2 ? 0.01 : 1.0);
        if (trial % 4 < 2) {
          // Where the conjugate of the q-norm has the largest curvature: equal entries, changes of
          // equal size.
          for (std::size_t k = 0; k < v.size(); ++k) {
            v[k] = g.threshold() + 1;
            change[k] = k % 2 ? 0.02 : -0.02;
          }
        }
        CHECK(ExcessOverSmoothness(g, v, change) <= 1e-12);
      }
    }
  }
}

TEST_CASE("the constant of the paper would be too small") {
  // With c = 3 ln d instead of (p − 1) d^{2/p} = e² (ln d − 1), g* grows by more than the bound
  // that the steps rely on.
  constexpr Offset d = 300;
  const ProxRegulariser g(ProxKind::kQNorm, d);
  const double paper = 3 * std::log(static_cast<double>(d));
  CHECK(Near(g.constant(), std::exp(2.0) * (std::log(static_cast<double>(d)) - 1), 1e-12));
  std::vector<double> v(d, 1.0), moved(d);
  for (std::size_t k = 0; k < v.size(); ++k) moved[k] = k % 2 ? 1.02 : 0.98;
  // The gradient is along (1, …, 1), orthogonal to the change; conjugates scale with 1/c.
  const double growth = (g.Conjugate(moved) - g.Conjugate(v)) * g.constant() / paper;
  CHECK(growth > 1.4 * 0.5 * 0.02 * 0.02);
}

TEST_CASE("regularisers refuse invalid parameters") {
  CHECK_THROWS_AS(ProxRegulariser(ProxKind::kL2, 0), std::invalid_argument);
  CHECK_THROWS_AS(ProxRegulariser(ProxKind::kL2, 3, 0.1), std::invalid_argument);
  CHECK_THROWS_AS(ProxRegulariser(ProxKind::kQNorm, 3, -1), std::invalid_argument);
  const ProxRegulariser g(ProxKind::kElasticNet, 2, 1);
  CHECK_THROWS_AS(g.Value(std::vector<double>(3, 0.0)), std::invalid_argument);
}
