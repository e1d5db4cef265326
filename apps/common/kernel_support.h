// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of a weight block as sums over support vectors: w[r] = Σ_j c[j][r] Φ(x_j), with the
// feature map of a kernel. What a kernelized model keeps in the place of the block.
#pragma once

#include <span>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/kernel.h>

namespace slackline::internal {

class KernelSupport {
 public:
  /// Requires a kernel as CheckKernel has it, and rows ≥ 1; else std::invalid_argument.
  KernelSupport(const Kernel& kernel, Index rows);

  /// Appends a support vector, which is copied, with one coefficient per row. Throws
  /// std::invalid_argument unless all are finite.
  void Add(const FeatureRow& x, std::span<const double> coefficients);

  const Kernel& kernel() const { return kernel_; }
  Index rows() const { return rows_; }
  const FeatureRows& vectors() const { return vectors_; }
  Index size() const { return vectors_.size(); }
  /// c, a row for each support vector.
  const std::vector<double>& coefficients() const { return coefficients_; }

  /// scores[r] = w[r]·Φ(x) for r < rows(). O(support vectors · (non-zeros + rows)). Throws
  /// DataError as KernelRow. Several threads may ask.
  void Scores(const FeatureRow& x, std::span<double> scores) const;

 private:
  Kernel kernel_;
  Index rows_;
  FeatureRows vectors_;
  std::vector<double> coefficients_;
};

}  // namespace slackline::internal
