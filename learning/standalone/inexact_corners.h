// SPDX-License-Identifier: BSD-3-Clause
//
// Corners that are worse than the best ones by exactly as much as the theorems of Frank-Wolfe
// allow, for experiments and tests of the cost of approximate oracles.
//
// Source: Lacoste-Julien, Jaggi, Schmidt, Pletscher, ICML 2013, appendix C, (11)–(13): a corner s
// of block i with
//     ⟨x − s, ∇_(i) f⟩ ≥ ν · max_s' ⟨x − s', ∇_(i) f⟩ − ½ δ γ̃_k C_f^(i),   γ̃_k = 2n/(νk + 2n).
// Theorem C.1: E[f(x_k)] − f* ≤ 2n/(νk + 2n) · (C_f (1 + δ)/ν + f(x_0) − f*), with line search or
// with steps γ̃_k (FrankWolfeOptions::quality = ν); C_f = Σ_i C_f^(i).
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/learning/standalone/frank_wolfe.h>

namespace slackline::internal {

/// Moves the best corner of the block towards the worst one, until ⟨x − s, ∇_(i) f⟩ is the smallest
/// number that (13) allows (or all the way). The result is a point of the domain, usually not a
/// corner, and in another direction than the best corner, so line search cannot undo the error.
class InexactCorners {
 public:
  /// ν in (0, 1], δ ≥ 0; curvatures: C_f^(i), or upper bounds, one per block (may be empty when δ =
  /// 0). Throws std::invalid_argument otherwise.
  InexactCorners(double quality, double additive, std::vector<double> curvatures = {})
      : quality_(quality), additive_(additive), curvatures_(std::move(curvatures)) {
    SLACKLINE_CHECK(quality > 0 && quality <= 1, "the quality must be in (0, 1]");
    SLACKLINE_CHECK(additive >= 0, "the additive error must not be negative");
  }

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
    const double allowed = AllowedError(task, gap);
    const double share = range > allowed ? std::max(0.0, allowed / range) : 1.0;
    for (std::size_t k = 0; k < corner.size(); ++k) corner[k] += share * (worst[k] - corner[k]);
  }

  /// By how much (13) allows a corner of the task to be worse than the best corner, whose gap is
  /// `gap`. Throws std::invalid_argument when the block has no curvature and δ > 0.
  double AllowedError(const LinearTask& task, double gap) const {
    double error = (1 - quality_) * std::max(0.0, gap);
    if (additive_ > 0) {
      SLACKLINE_CHECK(task.block < std::ssize(curvatures_), "a block has no curvature");
      const double n = task.num_blocks;
      const double step = 2 * n / (quality_ * static_cast<double>(task.step) + 2 * n);
      error += 0.5 * additive_ * step * curvatures_[task.block];
    }
    return error;
  }

 private:
  double quality_;
  double additive_;
  std::vector<double> curvatures_;
};

}  // namespace slackline::internal
