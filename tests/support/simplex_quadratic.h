// SPDX-License-Identifier: BSD-3-Clause
//
// A small objective for Frank-Wolfe: ½ ‖Bx − b‖² over a product of simplexes, with its optimum and
// its curvatures.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <slackline/core/random.h>
#include <slackline/learning/reference/frank_wolfe.h>

#include "tests/support/quadratic_program.h"

namespace slackline::internal::test {

/// The vertex of the simplex with the smallest gradient, lowest index first.
inline void SmallestEntry(std::span<const double> gradient, std::span<double> out) {
  const auto best = std::min_element(gradient.begin(), gradient.end()) - gradient.begin();
  std::fill(out.begin(), out.end(), 0.0);
  out[best] = 1;
}

class SimplexQuadratic {
 public:
  SimplexQuadratic(Random& random, std::vector<Index> sizes, Index rows)
      : sizes_(std::move(sizes)) {
    const Index columns = std::accumulate(sizes_.begin(), sizes_.end(), Index{0});
    matrix_.resize(rows, columns);
    target_.resize(rows);
    for (Index r = 0; r < rows; ++r) {
      target_[r] = random.Normal();
      for (Index c = 0; c < columns; ++c) matrix_(r, c) = random.Normal();
    }
  }

  Index num_blocks() const { return static_cast<Index>(sizes_.size()); }
  Index block_size(Index i) const { return sizes_[i]; }
  void Gradient(Index i, std::span<const double> x, std::span<double> out) const {
    const Eigen::VectorXd gradient = Columns(i).transpose() * (matrix_ * Vector(x) - target_);
    std::copy(gradient.begin(), gradient.end(), out.begin());
  }
  void Minimise(Index /*i*/, std::span<const double> gradient, std::span<double> out) const {
    SmallestEntry(gradient, out);
  }
  double LineSearch(Index i, std::span<const double> /*x*/, std::span<const double> direction,
                    double slope) const {
    const double curvature = i == kAllBlocks ? (matrix_ * Vector(direction)).squaredNorm()
                                             : (Columns(i) * Vector(direction)).squaredNorm();
    return -slope < curvature ? -slope / curvature : 1;
  }

  double Value(std::span<const double> x) const {
    return 0.5 * (matrix_ * Vector(x) - target_).squaredNorm();
  }
  /// The first vertex of every simplex.
  std::vector<double> Start() const {
    std::vector<double> start(matrix_.cols(), 0.0);
    for (Index i = 0; i < num_blocks(); ++i) start[Begin(i)] = 1;
    return start;
  }
  double Infeasibility(std::span<const double> x) const {
    double worst = 0;
    for (Index i = 0; i < num_blocks(); ++i) {
      double sum = 0;
      for (Index k = Begin(i); k < Begin(i) + block_size(i); ++k) {
        sum += x[k];
        worst = std::max(worst, -x[k]);
      }
      worst = std::max(worst, std::abs(sum - 1));
    }
    return worst;
  }

  /// The optimum, by the interior-point method.
  double Optimum() const {
    Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(num_blocks(), matrix_.cols());
    for (Index i = 0; i < num_blocks(); ++i) sums.block(i, Begin(i), 1, block_size(i)).setOnes();
    const QpResult result = SolveQp(matrix_.transpose() * matrix_, -matrix_.transpose() * target_,
                                    sums, Eigen::VectorXd::Ones(num_blocks()));
    return result.objective + 0.5 * target_.squaredNorm();
  }

  /// C_f^(i): the largest ‖B_i (e_p − e_q)‖².
  double BlockCurvature(Index i) const {
    double largest = 0;
    for (Index p = 0; p < block_size(i); ++p) {
      for (Index q = 0; q < p; ++q) {
        largest = std::max(largest, (Columns(i).col(p) - Columns(i).col(q)).squaredNorm());
      }
    }
    return largest;
  }
  /// C_f of the whole domain: the largest ‖B(s − t)‖² over its vertices.
  double WholeCurvature() const {
    std::vector<Eigen::VectorXd> images = {Eigen::VectorXd::Zero(matrix_.rows())};
    for (Index i = 0; i < num_blocks(); ++i) {
      std::vector<Eigen::VectorXd> next;
      for (const Eigen::VectorXd& image : images) {
        for (Index k = 0; k < block_size(i); ++k) next.push_back(image + Columns(i).col(k));
      }
      images = std::move(next);
    }
    double largest = 0;
    for (const auto& a : images) {
      for (const auto& b : images) largest = std::max(largest, (a - b).squaredNorm());
    }
    return largest;
  }

 private:
  static Eigen::Map<const Eigen::VectorXd> Vector(std::span<const double> x) {
    return {x.data(), static_cast<Eigen::Index>(x.size())};
  }
  Index Begin(Index i) const {
    return std::accumulate(sizes_.begin(), sizes_.begin() + i, Index{0});
  }
  Eigen::Block<const Eigen::MatrixXd, Eigen::Dynamic, Eigen::Dynamic, true> Columns(Index i) const {
    return matrix_.middleCols(Begin(i), block_size(i));
  }

  std::vector<Index> sizes_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd target_;
};

}  // namespace slackline::internal::test
