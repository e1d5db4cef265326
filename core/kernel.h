// SPDX-License-Identifier: BSD-3-Clause
//
// Kernels on input vectors: k(x, x') = ⟨Φ(x), Φ(x')⟩ for a feature map Φ that is never formed.
//   linear       ⟨x, x'⟩
//   polynomial   (γ⟨x, x'⟩ + c)^p
//   rbf          exp(−γ‖x − x'‖²)
// In a model the kernel takes the place of the inner product of the inputs that share a weight
// block: two parts that read rows r and r' of the block have the kernel k(x, x')·[r = r']
// (Lacoste-Julien, Jaggi, Schmidt, Pletscher, ICML 2013, appendix B.5, with these structured
// kernels). Scalar features stay linear.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <slackline/core/feature_rows.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// kAuto: linear where a kernel is needed, none elsewhere.
enum class KernelKind { kAuto, kLinear, kPolynomial, kRbf };

/// "auto", "linear", "polynomial", "rbf".
std::string_view Name(KernelKind kind);

struct Kernel {
  KernelKind kind = KernelKind::kLinear;
  double gamma = 1;   ///< > 0; polynomial and rbf
  Index degree = 3;   ///< p ≥ 1; polynomial
  double offset = 1;  ///< c ≥ 0; polynomial

  /// "rbf, gamma 0.5"
  std::string description() const;
};

/// Throws std::invalid_argument unless the kind is not kAuto and all numbers are finite and within
/// their ranges.
void CheckKernel(const Kernel& kernel);

/// k(a, b): symmetric, bit for bit. Features beyond the end of a vector are 0. O(non-zeros).
double KernelValue(const Kernel& kernel, const FeatureRow& a, const FeatureRow& b);

/// out[j] = k(x, inputs[j]). Throws DataError when a value is not finite (a polynomial of long
/// vectors).
void KernelRow(const Kernel& kernel, const FeatureRow& x, std::span<const FeatureRow> inputs,
               std::span<double> out);

/// Throws DataError where several ranks train together: a row of the kernel matrix compares one
/// example with all others, so that every rank would need all examples.
void RefuseKernelOnRanks(const Ranks& ranks);

}  // namespace slackline::internal
