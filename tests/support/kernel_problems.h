// SPDX-License-Identifier: BSD-3-Clause
//
// Kernelised training problems written as linear ones, without the library's kernel code: the
// inputs are replaced by vectors whose inner products are the kernel values. These vectors come
// from the eigenvectors of the kernel matrix, which follows from the definitions of the kernels.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <slackline/core/kernel.h>
#include <slackline/core/loss.h>

namespace slackline::internal::test {

Eigen::VectorXd DenseInput(const FeatureRow& row, Index columns);

/// k(a, b) by the definitions in core/kernel.h.
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

/// The training set with input j replaced by row j of V√D, where V D Vᵀ is the kernel matrix of all
/// rows.
TrainingSet Featurised(const TrainingSet& training, const Kernel& kernel);

/// The weights w = Σ_j c_j x_j of an expansion with the linear kernel
/// (learning/kernels/kernel_expansion.h).
std::vector<double> LinearWeights(const Dataset& data, std::span<const double> expansion);

}  // namespace slackline::internal::test
