// SPDX-License-Identifier: BSD-3-Clause
//
// The rates of Lacoste-Julien et al. (ICML 2013), appendix C, with exact and with deliberately
// inexact corners.
#include <algorithm>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/learning/reference/frank_wolfe.h>

#include "tests/support/simplex_quadratic.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// Moves the best corner of the block towards the worst one, until ⟨x − s, ∇_(i) f⟩ is the smallest
/// number that (13) allows (or all the way). The result is a point of the domain, usually not a
/// corner, and in another direction than the best corner, so line search cannot undo the error.
struct InexactCorners {
  double nu = 1, delta = 0;
  std::vector<double> curvatures;  // C_f^(i), or upper bounds, one per block

  template <BlockObjective Objective>
  void operator()(Objective& objective, const LinearTask& task, std::span<double> corner) const {
    objective.Minimise(task.block, task.gradient, corner);
    std::vector<double> opposite(task.gradient.begin(), task.gradient.end());
    for (double& entry : opposite) entry = -entry;
    std::vector<double> worst(corner.size());
    objective.Minimise(task.block, opposite, worst);
    double gap = 0;    // ⟨x − s, ∇⟩
    double range = 0;  // ⟨worst − s, ∇⟩
    for (std::size_t k = 0; k < corner.size(); ++k) {
      gap += (task.point[k] - corner[k]) * task.gradient[k];
      range += (worst[k] - corner[k]) * task.gradient[k];
    }
    const double n = task.num_blocks;
    const double step = 2 * n / (nu * static_cast<double>(task.step) + 2 * n);
    const double allowed =
        (1 - nu) * std::max(0.0, gap) + 0.5 * delta * step * curvatures[Size(task.block)];
    const double share = range > allowed ? std::max(0.0, allowed / range) : 1.0;
    for (std::size_t k = 0; k < corner.size(); ++k) corner[k] += share * (worst[k] - corner[k]);
  }
};

struct Quality {
  double nu = 1;
  double delta = 0;
};

constexpr Quality kQualities[] = {{1, 0}, {1, 0.5}, {1, 3}, {0.7, 0}, {0.3, 0}, {0.5, 1}};

std::vector<double> Curvatures(const SimplexQuadratic& quadratic) {
  std::vector<double> curvatures;
  for (Index i = 0; i < quadratic.num_blocks(); ++i)
    curvatures.push_back(quadratic.BlockCurvature(i));
  return curvatures;
}

FrankWolfeOptions StepOptions(bool fixed, const Quality& quality, std::uint64_t seed = 1) {
  FrankWolfeOptions options;
  options.fixed_step = fixed;
  options.quality = quality.nu;
  options.seed = seed;
  return options;
}

}  // namespace

TEST_CASE("with one block the bound holds without the term of the start") {
  // f(x_k) − f* ≤ 2 C_f (1 + δ) / (k + 2) for k ≥ 1 where ν = 1; Theorem C.1 for ν < 1.
  Random random(52);
  for (int trial = 0; trial < 5; ++trial) {
    SimplexQuadratic quadratic(random, {3, 3, 2}, 6);
    AsOneBlock<SimplexQuadratic> whole(&quadratic);
    const double optimum = quadratic.Optimum();
    const double curvature = quadratic.WholeCurvature();
    const double start = quadratic.Value(quadratic.Start()) - optimum;
    for (const Quality& quality : kQualities) {
      for (const bool fixed : {false, true}) {
        FrankWolfe method(&whole, quadratic.Start(), StepOptions(fixed, quality),
                          InexactCorners{quality.nu, quality.delta, {curvature}});
        const double constant =
            curvature * (1 + quality.delta) / quality.nu + (quality.nu < 1 ? start : 0.0);
        double smallest_gap = kInfinity;
        for (int k = 1; k <= 300; ++k) {
          smallest_gap = std::min(smallest_gap, method.Gap());
          method.Step();
          CAPTURE(k);
          CAPTURE(quality.nu);
          CAPTURE(quality.delta);
          CHECK(quadratic.Value(method.point()) - optimum <=
                2 * constant / (quality.nu * k + 2) + kTight);
          // Theorem C.3, with f(x_0) − f*: some iterate has a gap of at most 3·2C/(ν(K + 1)), and
          // so has the weighted average.
          const double gap_bound =
              6 * (curvature * (1 + quality.delta) / quality.nu + start) / (quality.nu * (k + 1));
          CHECK(std::min(smallest_gap, method.Gap()) <= gap_bound);
          if (k % 50 == 0) {
            FrankWolfe average(&whole, method.average(), {});
            CHECK(average.Gap() <= gap_bound);
          }
        }
        // The method converges.
        CHECK(quadratic.Value(method.point()) - optimum < 0.5 * start);
      }
    }
  }
}

TEST_CASE("the bound holds for the mean over draws of blocks") {
  Random random(53);
  SimplexQuadratic quadratic(random, {3, 4, 2, 3}, 6);
  const double optimum = quadratic.Optimum();
  const double start = quadratic.Value(quadratic.Start()) - optimum;
  const std::vector<double> curvatures = Curvatures(quadratic);
  double sum = 0;
  for (const double curvature : curvatures) sum += curvature;
  const double n = quadratic.num_blocks();
  constexpr int kSteps = 240;
  constexpr int kSeeds = 40;
  for (const Quality& quality : kQualities) {
    for (const bool fixed : {false, true}) {
      std::vector<double> error(kSteps, 0.0);
      for (int seed = 1; seed <= kSeeds; ++seed) {
        FrankWolfe method(&quadratic, quadratic.Start(),
                          StepOptions(fixed, quality, static_cast<std::uint64_t>(seed)),
                          InexactCorners{quality.nu, quality.delta, curvatures});
        for (double& e : error) {
          method.Step();
          e += (quadratic.Value(method.point()) - optimum) / kSeeds;
        }
      }
      const double constant = sum * (1 + quality.delta) / quality.nu + start;
      for (int k = 1; k <= kSteps; ++k) {
        CAPTURE(k);
        CHECK(error[k - 1] <= 2 * n / (quality.nu * k + 2 * n) * constant);
      }
    }
  }
}

TEST_CASE("errors that do not shrink with the steps break the bound") {
  // The same adversary with an error that stays as large as at the first step: the rate is lost.
  // Thus the checks above can fail.
  struct Stubborn {
    InexactCorners corners;
    void operator()(AsOneBlock<SimplexQuadratic>& objective, LinearTask task,
                    std::span<double> corner) const {
      task.step = 0;
      corners(objective, task, corner);
    }
  };
  Random random(54);
  SimplexQuadratic quadratic(random, {3, 3, 2}, 6);
  AsOneBlock<SimplexQuadratic> whole(&quadratic);
  const double optimum = quadratic.Optimum();
  const double curvature = quadratic.WholeCurvature();
  FrankWolfe method(&whole, quadratic.Start(), StepOptions(true, {}),
                    Stubborn{InexactCorners{1, 1, {curvature}}});
  for (int k = 0; k < 3000; ++k) method.Step();
  CHECK(quadratic.Value(method.point()) - optimum > 2 * curvature * (1 + 1) / (3000 + 2));
}
