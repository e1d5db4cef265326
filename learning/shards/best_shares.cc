// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/best_shares.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace slackline::internal {
namespace {

constexpr int kMostSweeps = 1000;
constexpr double kPrecision = 1e-13;  // of shares

}  // namespace

double BestShares(const ShareProblem& problem, std::span<double> shares) {
  const std::size_t n = problem.slopes.size();
  const auto h = [&](std::size_t p, std::size_t q) {
    const double product = problem.strength * problem.products[std::min(p, q) * n + std::max(p, q)];
    return p == q && !problem.curvatures.empty() ? product + problem.curvatures[p] : product;
  };
  // Of the dual, at the shares.
  std::vector<double> slope(problem.slopes.begin(), problem.slopes.end());
  std::fill(shares.begin(), shares.end(), 0.0);
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double moved = 0;
    for (std::size_t p = 0; p < n; ++p) {
      const double curvature = h(p, p);
      const double best =
          curvature > 0 ? shares[p] + slope[p] / curvature : (slope[p] >= 0 ? 1.0 : 0.0);
      const double change = std::clamp(best, 0.0, 1.0) - shares[p];
      if (change == 0) continue;
      shares[p] += change;
      for (std::size_t q = 0; q < n; ++q) slope[q] -= change * h(p, q);
      moved = std::max(moved, std::abs(change));
    }
    if (moved <= kPrecision) break;
  }
  double gain = 0;
  for (std::size_t p = 0; p < n; ++p) gain += 0.5 * shares[p] * (problem.slopes[p] + slope[p]);
  return std::max(gain, 0.0);
}

}  // namespace slackline::internal
