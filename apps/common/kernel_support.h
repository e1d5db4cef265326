// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of a weight block as sums over support vectors: w[r] = Σ_j c[j][r] Φ(x_j), where Φ is
// the feature map of a kernel. A kernelized model stores these in place of the block.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/kernel.h>

namespace slackline::internal {

class KernelSupport {
 public:
  /// Requires a kernel that passes CheckKernel and rows ≥ 1; else throws std::invalid_argument.
  KernelSupport(const Kernel& kernel, Index rows);

  /// Appends a copy of a support vector, with one coefficient per row. Throws std::invalid_argument
  /// unless all numbers are finite.
  void Add(const FeatureRow& x, std::span<const double> coefficients);

  const Kernel& kernel() const { return kernel_; }
  Index rows() const { return rows_; }
  const FeatureRows& vectors() const { return vectors_; }
  Index size() const { return vectors_.size(); }
  /// The coefficients c, one row per support vector.
  const std::vector<double>& coefficients() const { return coefficients_; }

  /// scores[r] = w[r]·Φ(x) for r < rows(). O(support vectors · (non-zeros + rows)). Throws
  /// DataError as KernelRow does. Several threads may call this function at once.
  void Scores(const FeatureRow& x, std::span<double> scores) const;

 private:
  Kernel kernel_;
  Index rows_;
  FeatureRows vectors_;
  std::vector<double> coefficients_;
};

}  // namespace slackline::internal
