// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/best_shares.h>

#include <cmath>
#include <vector>

#include <doctest/doctest.h>
#include <Eigen/Dense>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

double Value(const Eigen::VectorXd& slopes, const Eigen::MatrixXd& h, const Eigen::VectorXd& eta) {
  return slopes.dot(eta) - 0.5 * eta.dot(h * eta);
}

/// The maximum over the cube, by trying which shares are 0, 1 or between.
double BestOverCube(const Eigen::VectorXd& slopes, const Eigen::MatrixXd& h) {
  const auto n = static_cast<int>(slopes.size());
  double best = 0;
  const int cases = static_cast<int>(std::lround(std::pow(3, n)));
  for (int code = 0; code < cases; ++code) {
    Eigen::VectorXd eta = Eigen::VectorXd::Zero(n);
    std::vector<int> between;
    for (int p = 0, rest = code; p < n; ++p, rest /= 3) {
      if (rest % 3 == 1) eta[p] = 1;
      if (rest % 3 == 2) between.push_back(p);
    }
    if (!between.empty()) {
      const Eigen::VectorXd slope = slopes - h * eta;
      const Eigen::MatrixXd inner = h(between, between);
      const Eigen::VectorXd solution = inner.colPivHouseholderQr().solve(slope(between));
      for (std::size_t k = 0; k < between.size(); ++k) eta[between[k]] = solution[k];
    }
    if (eta.minCoeff() < -1e-12 || eta.maxCoeff() > 1 + 1e-12) continue;
    best = std::max(best, Value(slopes, h, eta));
  }
  return best;
}

}  // namespace

TEST_CASE("the shares are the best of the cube, and the gain is their value") {
  Random random(1);
  int inside = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + static_cast<int>(random.Below(4));
    const int rank = 1 + static_cast<int>(random.Below(5));
    Eigen::MatrixXd changes(rank, n);
    for (int k = 0; k < rank * n; ++k) changes.data()[k] = random.Normal();
    const double strength = 0.1 + random.Uniform();
    const Eigen::MatrixXd products = changes.transpose() * changes;
    Eigen::MatrixXd h = strength * products;
    std::vector<double> curvatures;  // of smoothed hinges, in half of the trials
    for (int p = 0; p < n && trial % 2 == 1; ++p) {
      curvatures.push_back(random.Uniform());
      h(p, p) += curvatures.back();
    }
    Eigen::VectorXd slopes(n);
    for (int p = 0; p < n; ++p) slopes[p] = h(p, p) * (random.Uniform() + 0.3);
    std::vector<double> upper(n * n, -1e9);  // the lower triangle is not read
    for (int p = 0; p < n; ++p) {
      for (int q = p; q < n; ++q) upper[p * n + q] = products(p, q);
    }
    std::vector<double> shares(n, 0.5);
    const std::vector<double> given(slopes.data(), slopes.data() + n);
    const double gain = BestShares({given, upper, strength, curvatures}, shares);
    const Eigen::VectorXd eta = Eigen::Map<Eigen::VectorXd>(shares.data(), n);
    CHECK(eta.minCoeff() >= 0);
    CHECK(eta.maxCoeff() <= 1);
    CHECK(Near(gain, Value(slopes, h, eta), kTight));
    CHECK(Near(gain, BestOverCube(slopes, h), kTight));
    for (const double share : shares) inside += share > 0 && share < 1 ? 1 : 0;
  }
  CHECK(inside > 100);
}

TEST_CASE("a shard that changed nothing keeps all of nothing, and one that went down keeps none") {
  std::vector<double> shares(2);
  const std::vector<double> products = {0, 0, 0, 4};
  CHECK(BestShares({std::vector{0.0, -1.0}, products, 1}, shares) == 0);
  CHECK(shares[0] == 1);
  CHECK(shares[1] == 0);
}

TEST_CASE("equal changes are shared") {
  // Two shards that made the same best step: together they keep one of them.
  std::vector<double> shares(2);
  const std::vector<double> products = {1, 1, 0, 1};
  const double gain = BestShares({std::vector{1.0, 1.0}, products, 1}, shares);
  CHECK(Near(gain, 0.5, kExact));
  CHECK(Near(shares[0] + shares[1], 1, kExact));
}
