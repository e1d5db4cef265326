// SPDX-License-Identifier: BSD-3-Clause
//
// A kernel's feature map on the inputs of a training set, written out: with the kernel matrix K = L
// Lᵀ, input j becomes row j of L, and inner products are kernel values. What is trained on these
// inputs with any learner is the kernelized problem itself, since its solutions lie in the span of
// the inputs. So factor blocks (AISTATS 2015, section 5), and everything else, train with kernels.
// For a moderate number of inputs: N² numbers at most, N·rank² operations once.
//
// L: Cholesky with complete pivoting, scaled by the diagonal: the next pivot is the input whose
// residual k(x_j, x_j) − ‖L_j‖² is the largest share of its own k(x_j, x_j), until no share exceeds
// the rounding of sums of N terms. So every input is met to its own size, however long others are,
// and K to the rounding of its entries: |k(x_i, x_j) − L_i·L_j| ≤ N ε √(k(x_i, x_i) k(x_j, x_j)). A
// stop relative to the largest k(x_j, x_j) of all would turn short inputs into zero.
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
  /// Throws DataError when L would take more memory than there is, and as KernelRow. The problem's
  /// rows must outlive the map.
  KernelMap(const Problem& problem, const Kernel& kernel);

  /// The same training set over the new inputs. Structures have the same coordinates.
  const Problem& problem() const { return *mapped_; }
  const KernelExpansion& expansion() const { return expansion_; }
  Index rank() const { return static_cast<Index>(pivots_.size()); }

  /// From weights of the new problem to an expansion (kernel_expansion.h) whose coefficients are
  /// those of the pivots, and back.
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

/// The learner that the options name, without kernel, on the mapped problem; weights() are
/// expansions. Throws DataError as KernelMap and MakeLearner.
std::unique_ptr<Learner> MakeKernelMapLearner(const Problem& problem, const TrainOptions& options);

/// The options without what they say of kernels.
TrainOptions WithoutKernel(TrainOptions options);

}  // namespace slackline::internal
