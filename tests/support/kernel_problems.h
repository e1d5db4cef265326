// SPDX-License-Identifier: BSD-3-Clause
//
// Kernelized training problems as linear ones, independently of the library: inputs whose inner
// products are kernel values come from the eigenvectors of the kernel matrix, which is written out
// by the kernels' definitions.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <slackline/core/kernel.h>
#include <slackline/core/loss.h>
#include <slackline/learning/kernels/kernel_expansion.h>

namespace slackline::internal::test {

Eigen::VectorXd DenseInput(const FeatureRow& row, Index columns);

/// By the definitions in core/kernel.h.
template <class Scalar>
Scalar PlainKernel(const Kernel& kernel, const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& a,
                   const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& b) {
  switch (kernel.kind) {
    case KernelKind::kPolynomial:
      return std::pow(kernel.gamma * a.dot(b) + kernel.offset, static_cast<Scalar>(kernel.degree));
    case KernelKind::kRbf:
      return std::exp(-kernel.gamma * (a - b).squaredNorm());
    default:
      return a.dot(b);
  }
}

/// The training set with input j replaced by row j of V√D, where the kernel matrix of all rows is V
/// D Vᵀ.
TrainingSet Featurised(const TrainingSet& training, const Kernel& kernel);

/// w of an expansion (learning/kernels/kernel_expansion.h) with the linear kernel: Σ_j c_j x_j,
/// written out.
std::vector<double> LinearWeights(const Dataset& data, std::span<const double> expansion);

}  // namespace slackline::internal::test
