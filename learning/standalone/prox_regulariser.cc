// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/standalone/prox_regulariser.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/check.h>

namespace slackline::internal {

ProxRegulariser::ProxRegulariser(ProxKind kind, Offset dimension, double threshold)
    : kind_(kind), dimension_(dimension), threshold_(threshold) {
  SLACKLINE_CHECK(dimension >= 1, "a regulariser needs a dimension");
  SLACKLINE_CHECK(std::isfinite(threshold) && threshold >= 0, "the threshold must not be negative");
  SLACKLINE_CHECK(kind != ProxKind::kL2 || threshold == 0, "kL2 has no threshold");
  if (kind != ProxKind::kQNorm) return;
  const auto d = static_cast<double>(dimension);
  p_ = std::max(2.0, std::log(d));
  constant_ = (p_ - 1) * std::pow(d, 2 / p_);
}

double ProxRegulariser::Value(std::span<const double> w) const {
  SLACKLINE_CHECK(static_cast<Offset>(w.size()) == dimension_, "w has another dimension");
  double one_norm = 0;
  double squares = 0;
  double largest = 0;
  for (const double x : w) {
    one_norm += std::abs(x);
    squares += x * x;
    largest = std::max(largest, std::abs(x));
  }
  if (kind_ != ProxKind::kQNorm) return 0.5 * squares + threshold_ * one_norm;
  if (largest == 0) return 0;
  const double q = p_ / (p_ - 1);
  double sum = 0;
  for (const double x : w) sum += std::pow(std::abs(x) / largest, q);
  const double norm = largest * std::pow(sum, 1 / q);
  return 0.5 * constant_ * norm * norm + threshold_ * one_norm;
}

double ProxRegulariser::ThresholdedNorm(std::span<const double> v, double* largest) const {
  *largest = 0;
  for (const double x : v) *largest = std::max(*largest, std::abs(SoftThreshold(x, threshold_)));
  if (*largest == 0) return 0;
  double sum = 0;
  for (const double x : v) sum += std::pow(std::abs(SoftThreshold(x, threshold_)) / *largest, p_);
  return *largest * std::pow(sum, 1 / p_);
}

double ProxRegulariser::Conjugate(std::span<const double> v) const {
  SLACKLINE_CHECK(static_cast<Offset>(v.size()) == dimension_, "v has another dimension");
  if (kind_ == ProxKind::kQNorm) {
    double largest = 0;
    const double norm = ThresholdedNorm(v, &largest);
    return norm * norm / (2 * constant_);
  }
  double squares = 0;
  for (const double x : v) {
    const double w = SoftThreshold(x, threshold_);
    squares += w * w;
  }
  return 0.5 * squares;
}

void ProxRegulariser::Gradient(std::span<const double> v, std::span<double> w) const {
  SLACKLINE_CHECK(static_cast<Offset>(v.size()) == dimension_ && w.size() == v.size(),
                  "v and w have another dimension");
  for (std::size_t k = 0; k < v.size(); ++k) w[k] = SoftThreshold(v[k], threshold_);
  if (kind_ != ProxKind::kQNorm) return;
  double largest = 0;
  const double norm = ThresholdedNorm(v, &largest);
  if (largest == 0) return;
  // ‖t‖_p^{2−p} t^{p−1} = ‖t‖_p (t/‖t‖_p)^{p−1}, which avoids powers of large or tiny numbers.
  for (double& x : w) x = std::copysign(norm / constant_ * std::pow(std::abs(x) / norm, p_ - 1), x);
}

}  // namespace slackline::internal
