// SPDX-License-Identifier: BSD-3-Clause
//
// Block-coordinate Frank-Wolfe by the formulas of Lacoste-Julien, Jaggi, Schmidt and Pletscher
// (ICML 2013), Algorithm 4, with dense vectors: one w_i and ℓ_i per example, and all iterates.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <slackline/core/feature_map.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/problem.h>

namespace slackline::internal::test {

/// A dual point as the objective sees it.
struct PlainIterate {
  std::vector<double> w;
  double loss = 0;  ///< ℓ

  double Dual(double lambda) const { return loss - Regulariser(lambda, w); }
};

class PlainBcfw {
 public:
  PlainBcfw(const Problem& problem, bool fixed_step)
      : problem_(problem),
        fixed_step_(fixed_step),
        oracle_(problem,
                {.solver = SolverKind::kBruteForce, .ways = ExampleOracle::Ways::kSolvers}),
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
  const PlainIterate& newest() const { return sum_; }

 private:
  /// (w_i, ℓ_i) after the step.
  PlainIterate Moved(Index i) {
    const double n = problem_.size();
    const double lambda = problem_.lambda();
    const Corner corner = oracle_.Maximise(i, sum_.w, nullptr);
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
    const double searched = square > 0 ? std::clamp(gap / (lambda * square), 0.0, 1.0) : gap > 0;
    const auto k = static_cast<double>(iterates.size());
    const double step = fixed_step_ ? 2 * n / (k + 2 * n) : searched;
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
  ExampleOracle oracle_;
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
