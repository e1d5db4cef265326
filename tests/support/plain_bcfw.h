// SPDX-License-Identifier: BSD-3-Clause
//
// Block-coordinate Frank-Wolfe by the formulas of Lacoste-Julien, Jaggi, Schmidt and Pletscher
// (ICML 2013), Algorithm 4, with dense vectors: one w_i and ℓ_i per example, and all iterates.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/problem.h>

#include "tests/support/dense_labellings.h"

namespace slackline::internal::test {

/// Of the dual over labellings, by enumeration.
struct PlainConstants {
  std::vector<double> of_blocks;  ///< C^(i) = λ sup ‖A(s − x)‖²
  double curvature = 0;           ///< C⊗, their sum
  double squared_radius = 0;      ///< R²
};
inline PlainConstants ConstantsOf(const Problem& problem) {
  PlainConstants constants;
  const double scale = 1 / (problem.lambda() * problem.size());
  for (Index m = 0; m < problem.size(); ++m) {
    const std::vector<PsiAndLoss> list = LabellingsByPsi(problem, m);
    double range = 0;
    for (const PsiAndLoss& a : list) {
      constants.squared_radius = std::max(constants.squared_radius, a.psi.squaredNorm());
      for (const PsiAndLoss& b : list) range = std::max(range, (a.psi - b.psi).squaredNorm());
    }
    constants.of_blocks.push_back(problem.lambda() * scale * scale * range);
    constants.curvature += constants.of_blocks.back();
  }
  return constants;
}

/// A dual point as the objective sees it.
struct PlainIterate {
  std::vector<double> w;
  double loss = 0;  ///< ℓ

  double Dual(double lambda) const { return loss - Regulariser(lambda, w); }
};

struct PlainOracle {
  /// ν of fixed steps.
  double quality = 1;
  /// If set, the corners of example i at weights, which are valid until the next call; otherwise
  /// the best ones.
  std::function<Corner(Index i, std::span<const double> w)> answer = {};
};

/// ⟨x_(i) − s_(i), ∇_(i) f⟩ of a corner, and the largest one of the block.
struct PlainGap {
  Index block = 0;
  double found = 0;
  double exact = 0;
};

class PlainBcfw {
 public:
  PlainBcfw(const Problem& problem, bool fixed_step, const PlainOracle& oracle = {})
      : problem_(problem),
        fixed_step_(fixed_step),
        quality_(oracle.quality),
        oracle_(problem,
                {.solver = SolverKind::kBruteForce, .ways = ExampleOracle::Ways::kSolvers}),
        answer_(oracle.answer),
        parts_(problem.size(), {std::vector<double>(problem.num_weights(), 0.0), 0}),
        sum_{std::vector<double>(problem.num_weights(), 0.0), 0} {}

  /// The iterate after lines 3 to 10 for example i, if that were drawn now.
  PlainIterate After(Index i) { return Sum(i, Moved(i)); }
  /// Draws example i.
  void Step(Index i) {
    PlainIterate moved = Moved(i);
    sum_ = Sum(i, moved);
    parts_[i] = std::move(moved);
    iterates.push_back(sum_);
  }

  /// The iterates x_1, …, x_K.
  std::vector<PlainIterate> iterates;
  /// Of all corners, if they are given.
  std::vector<PlainGap> gaps;
  const PlainIterate& newest() const { return sum_; }

 private:
  /// (w_i, ℓ_i) after the step.
  PlainIterate Moved(Index i) {
    const double n = problem_.size();
    const double lambda = problem_.lambda();
    const Corner corner = answer_ ? answer_(i, sum_.w) : oracle_.Maximise(i, sum_.w, nullptr);
    PlainIterate target{std::vector<double>(sum_.w.size(), 0.0), corner.loss / n};
    ScatterFeatures(problem_.data().example(i), corner.coordinates, 1 / (lambda * n), target.w);
    PlainIterate own = parts_[i];
    double slope = 0;
    double square = 0;
    for (std::size_t d = 0; d < target.w.size(); ++d) {
      slope += (own.w[d] - target.w[d]) * sum_.w[d];
      square += (own.w[d] - target.w[d]) * (own.w[d] - target.w[d]);
    }
    const double gap = lambda * slope - own.loss + target.loss;
    if (answer_) {
      const double most = oracle_.Maximise(i, sum_.w, nullptr).value;
      gaps.push_back({i, gap, gap + (most - corner.value) / n});
    }
    const double searched = square > 0 ? std::clamp(gap / (lambda * square), 0.0, 1.0) : gap > 0;
    const auto k = static_cast<double>(iterates.size());
    const double step = fixed_step_ ? 2 * n / (quality_ * k + 2 * n) : searched;
    own.loss += step * (target.loss - own.loss);
    for (std::size_t d = 0; d < target.w.size(); ++d) own.w[d] += step * (target.w[d] - own.w[d]);
    return own;
  }

  /// The sum of all (w_j, ℓ_j) where that of example i is `moved`.
  PlainIterate Sum(Index i, const PlainIterate& moved) const {
    PlainIterate sum = sum_;
    sum.loss += moved.loss - parts_[i].loss;
    for (std::size_t d = 0; d < sum.w.size(); ++d) sum.w[d] += moved.w[d] - parts_[i].w[d];
    return sum;
  }

  Problem problem_;
  bool fixed_step_;
  double quality_;
  ExampleOracle oracle_;
  std::function<Corner(Index, std::span<const double>)> answer_;
  std::vector<PlainIterate> parts_;
  PlainIterate sum_;
};

/// Σ_k r_k x_k / Σ_k r_k over k = first, …, K, where x_k is iterates[k − 1], and r_k = k if
/// weighted, else 1.
inline PlainIterate AverageOf(std::span<const PlainIterate> iterates, std::size_t first,
                              bool weighted) {
  PlainIterate average{std::vector<double>(iterates.front().w.size(), 0.0), 0};
  double total = 0;
  for (std::size_t k = first; k <= iterates.size(); ++k) {
    const double r = weighted ? static_cast<double>(k) : 1.0;
    total += r;
    average.loss += r * iterates[k - 1].loss;
    for (std::size_t d = 0; d < average.w.size(); ++d) average.w[d] += r * iterates[k - 1].w[d];
  }
  average.loss /= total;
  for (double& value : average.w) value /= total;
  return average;
}

}  // namespace slackline::internal::test
