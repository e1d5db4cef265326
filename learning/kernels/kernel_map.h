// SPDX-License-Identifier: BSD-3-Clause
//
// An explicit feature map of a kernel on the inputs of a training set: with the kernel matrix K = L
// Lᵀ, input j becomes row j of L, and inner products are kernel values. Training on these inputs
// with any learner solves the kernelized problem itself, since its solutions lie in the span of the
// inputs. Factor blocks (AISTATS 2015, section 5) and all other learners thus train with kernels.
// Suitable for a moderate number of inputs: at most N² numbers of memory, N·rank² operations once.
//
// L: Cholesky with complete pivoting, scaled by the diagonal. The next pivot is the input whose
// residual k(x_j, x_j) − ‖L_j‖² is the largest share of its own k(x_j, x_j), until no share exceeds
// the rounding error of sums of N terms. Every input is thus represented relative to its own
// length, and K up to the rounding of its entries: |k(x_i, x_j) − L_i·L_j| ≤ N ε √(k(x_i, x_i)
// k(x_j, x_j)). A stop relative to the largest k(x_j, x_j) would turn short inputs into zero.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/learning/kernels/kernel_expansion.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

class KernelMap {
 public:
  /// Throws DataError when there are no inputs or L would take more memory than there is, and as
  /// KernelRow does. The problem's rows must outlive the map.
  KernelMap(const Problem& problem, const Kernel& kernel);

  /// The same training set with rows of L as inputs. Structures have the same coordinates.
  const Problem& problem() const { return *mapped_; }
  const KernelExpansion& expansion() const { return expansion_; }
  Index rank() const { return static_cast<Index>(pivots_.size()); }

  /// Converts weights of the mapped problem to an expansion (kernel_expansion.h) in which only
  /// pivots have coefficients, and an expansion back to weights.
  std::vector<double> Expand(std::span<const double> weights) const;
  std::vector<double> Weights(std::span<const double> expansion) const;

 private:
  void Factorise(const GramCache& gram);
  std::shared_ptr<const FeatureRows> NewRows(const FeatureRows& rows) const;

  KernelExpansion expansion_;
  std::vector<Index> pivots_;                 // inputs, in the order of the columns
  std::vector<std::vector<double>> columns_;  // of L
  std::unique_ptr<Problem> mapped_;
};

/// The learner that the options name, on the mapped problem without a kernel; weights() returns an
/// expansion. Throws DataError as KernelMap and MakeLearner do.
std::unique_ptr<Learner> MakeKernelMapLearner(const Problem& problem, const TrainOptions& options);

/// The options with the kernel options reset to their defaults.
TrainOptions WithoutKernel(TrainOptions options);

}  // namespace slackline::internal
