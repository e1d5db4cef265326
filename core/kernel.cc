// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/kernel.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>

namespace slackline::internal {
namespace {

double Power(double base, Index exponent) {
  double power = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    if (exponent % 2 == 1) power *= base;
  }
  return power;
}

/// A squared distance below this share of the squared norms is summed feature by feature, since the
/// difference of norms would lose most of its digits.
constexpr double kCancels = 1e-3;

Index Column(const FeatureRow& row, Index k) { return row.dense() ? k : row.columns[k]; }

/// Σ (a_f − b_f)², feature by feature.
double PlainSquaredDistance(const FeatureRow& a, const FeatureRow& b) {
  double sum = 0;
  Index j = 0;
  Index k = 0;
  while (j < a.count || k < b.count) {
    const bool from_a = k == b.count || (j < a.count && Column(a, j) <= Column(b, k));
    const bool from_b = j == a.count || (k < b.count && Column(b, k) <= Column(a, j));
    const double difference = (from_a ? a.values[j] : 0.0) - (from_b ? b.values[k] : 0.0);
    sum += difference * difference;
    j += from_a ? 1 : 0;
    k += from_b ? 1 : 0;
  }
  return sum;
}

/// ‖a − b‖², accurate even when the vectors nearly coincide. Dense vectors are compared feature by
/// feature; otherwise the norms are used unless they cancel.
double SquaredDistance(const FeatureRow& a, const FeatureRow& b) {
  if (!a.dense() || !b.dense()) {
    const double norms = a.squared_norm + b.squared_norm;
    const double distance = norms - 2 * Dot(a, b);
    return distance > kCancels * norms ? distance : PlainSquaredDistance(a, b);
  }
  const Index shared = std::min(a.count, b.count);
  double sum = 0;
  for (Index f = 0; f < shared; ++f)
    sum += (a.values[f] - b.values[f]) * (a.values[f] - b.values[f]);
  const FeatureRow& longer = a.count > b.count ? a : b;
  for (Index f = shared; f < longer.count; ++f) sum += longer.values[f] * longer.values[f];
  return sum;
}

}  // namespace

std::string_view Name(KernelKind kind) {
  switch (kind) {
    case KernelKind::kLinear:
      return "linear";
    case KernelKind::kPolynomial:
      return "polynomial";
    case KernelKind::kRbf:
      return "rbf";
    case KernelKind::kAuto:
      break;
  }
  return "auto";
}

std::string Kernel::description() const {
  std::string text(Name(kind));
  if (kind == KernelKind::kPolynomial || kind == KernelKind::kRbf)
    text += ", gamma " + NumberText(gamma);
  if (kind == KernelKind::kPolynomial)
    text += ", degree " + std::to_string(degree) + ", offset " + NumberText(offset);
  return text;
}

void CheckKernel(const Kernel& kernel) {
  SLACKLINE_CHECK(kernel.kind != KernelKind::kAuto, "a kernel must be linear, polynomial or rbf");
  SLACKLINE_CHECK(std::isfinite(kernel.gamma) && kernel.gamma > 0, "a kernel's gamma must be > 0");
  SLACKLINE_CHECK(kernel.degree >= 1, "a kernel's degree must be at least 1");
  SLACKLINE_CHECK(std::isfinite(kernel.offset) && kernel.offset >= 0,
                  "a kernel's offset must be ≥ 0");
}

double KernelValue(const Kernel& kernel, const FeatureRow& a, const FeatureRow& b) {
  switch (kernel.kind) {
    case KernelKind::kPolynomial:
      return Power(kernel.gamma * Dot(a, b) + kernel.offset, kernel.degree);
    case KernelKind::kRbf:
      return std::exp(-kernel.gamma * SquaredDistance(a, b));
    default:
      return Dot(a, b);
  }
}

void KernelRow(const Kernel& kernel, const FeatureRow& x, std::span<const FeatureRow> inputs,
               std::span<double> out) {
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    out[j] = KernelValue(kernel, x, inputs[j]);
    if (!std::isfinite(out[j])) {
      throw DataError(
          "the " + kernel.description() +
          " kernel overflows on these features; scale them, or take a smaller gamma or degree");
    }
  }
}

void RefuseKernelOnRanks(const Ranks& ranks) {
  RequireOneRank(ranks, "--kernel, which compares every example with all others,");
}

}  // namespace slackline::internal
