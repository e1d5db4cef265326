// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/standalone/prox_loss.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/inner_product.h>
#include <slackline/learning/step/simplex_projection.h>

namespace slackline::internal {
namespace {

/// How far steps may leave the domain of φ* by rounding.
constexpr double kDomainRounding = 1e-9;

/// argmax over [0, 1] of slope·s − curvature·s²/2.
double ClippedStep(double slope, double curvature) {
  if (slope <= 0) return 0;
  return slope < curvature ? slope / curvature : 1.0;
}

/// x ln x, 0 at 0.
double EntropyTerm(double x) { return x > 0 ? x * std::log(x) : 0.0; }

struct ValueAndSlope {
  double value = 0;
  double slope = 0;
};

/// The zero of an increasing function in [low, high], to the last digits, by Newton steps from
/// `start`. A step that leaves the bracket, and every fourth one while the bracket does not become
/// half as long, is one of bisection.
template <class Function>
double Root(double low, double high, double start, const Function& rising) {
  constexpr int kMostSteps = 200;
  constexpr double kRootPrecision = 2e-16;
  double x = start > low && start < high ? start : 0.5 * (low + high);
  double length = high - low;
  for (int k = 1; k <= kMostSteps && x > low && x < high; ++k) {
    const ValueAndSlope at = rising(x);
    (at.value < 0 ? low : high) = x;
    const double step = at.value / at.slope;
    if (std::abs(step) <= kRootPrecision * std::abs(x)) return x;
    const double newton = x - step;
    bool bisects = !(newton > low && newton < high);
    if (k % 4 == 0) {
      bisects = bisects || high - low > 0.5 * length;
      length = high - low;
    }
    x = bisects ? 0.5 * (low + high) : newton;
  }
  return x;
}

/// 1/(1 + e^t)
double Fermi(double t) { return t > 0 ? std::exp(-t) / (1 + std::exp(-t)) : 1 / (1 + std::exp(t)); }

}  // namespace

std::string_view Name(ScalarLossKind kind) {
  switch (kind) {
    case ScalarLossKind::kHinge:
      return "hinge";
    case ScalarLossKind::kSmoothedHinge:
      return "smoothed-hinge";
    case ScalarLossKind::kSquared:
      return "squared";
    case ScalarLossKind::kLogistic:
      return "logistic";
    case ScalarLossKind::kAbsolute:
      break;
  }
  return "absolute";
}

ScalarLoss::ScalarLoss(ScalarLossKind kind, std::vector<double> labels, double parameter)
    : kind_(kind), labels_(std::move(labels)) {
  for (const double y : labels_) {
    const bool good = TakesNumbers(kind) ? std::isfinite(y) : std::abs(y) == 1;
    SLACKLINE_CHECK(good,
                    "labels must be 1 or -1, or finite for the squared and the absolute loss");
  }
  switch (kind) {
    case ScalarLossKind::kHinge:
      break;
    case ScalarLossKind::kSmoothedHinge:
      SLACKLINE_CHECK(std::isfinite(parameter) && parameter > 0,
                      "the smoothed hinge needs gamma > 0");
      gamma_ = parameter;
      break;
    case ScalarLossKind::kSquared:
      gamma_ = 1;
      break;
    case ScalarLossKind::kLogistic:
      gamma_ = 4;
      break;
    case ScalarLossKind::kAbsolute:
      SLACKLINE_CHECK(std::isfinite(parameter) && parameter >= 0,
                      "the absolute loss needs epsilon >= 0");
      epsilon_ = parameter;
      break;
  }
}

double ScalarLoss::Value(Index i, std::span<const double> z) const {
  const double y = label(i);
  if (kind_ == ScalarLossKind::kSquared) return 0.5 * (z[0] - y) * (z[0] - y);
  if (kind_ == ScalarLossKind::kAbsolute) return std::max(0.0, std::abs(z[0] - y) - epsilon_);
  const double margin = y * z[0];
  if (kind_ == ScalarLossKind::kLogistic) {
    return std::max(0.0, -margin) + std::log1p(std::exp(-std::abs(margin)));
  }
  if (margin >= 1) return 0;
  const double short_by = 1 - margin;
  return short_by < gamma_ ? short_by * short_by / (2 * gamma_) : short_by - gamma_ / 2;
}

double ScalarLoss::Conjugate(Index i, std::span<const double> alpha) const {
  const double b = label(i) * alpha[0];
  if (kind_ == ScalarLossKind::kSquared) return 0.5 * alpha[0] * alpha[0] - b;
  if (kind_ == ScalarLossKind::kAbsolute) return epsilon_ * std::abs(alpha[0]) - b;
  if (kind_ == ScalarLossKind::kLogistic) return EntropyTerm(b) + EntropyTerm(1 - b);
  return 0.5 * gamma_ * b * b - b;
}

bool ScalarLoss::InDomain(Index i, std::span<const double> alpha) const {
  if (kind_ == ScalarLossKind::kSquared) return std::isfinite(alpha[0]);
  if (kind_ == ScalarLossKind::kAbsolute) return std::abs(alpha[0]) <= 1 + kDomainRounding;
  const double b = label(i) * alpha[0];
  return b >= -kDomainRounding && b <= 1 + kDomainRounding;
}

void ScalarLoss::Target(Index i, std::span<const double> z, std::span<double> u) const {
  const double y = label(i);
  const double margin = y * z[0];
  switch (kind_) {
    case ScalarLossKind::kHinge:
      u[0] = margin < 1 ? y : 0.0;
      return;
    case ScalarLossKind::kSmoothedHinge:
      u[0] = y * std::clamp((1 - margin) / gamma_, 0.0, 1.0);
      return;
    case ScalarLossKind::kSquared:
      u[0] = y - z[0];
      return;
    case ScalarLossKind::kLogistic:
      u[0] = y * Fermi(margin);
      return;
    case ScalarLossKind::kAbsolute:
      u[0] = std::abs(z[0] - y) <= epsilon_ ? 0.0 : std::copysign(1.0, y - z[0]);
      return;
  }
}

double ScalarLoss::LineSearch(Index i, const SdcaLine& line) const {
  const double y = label(i);
  const double alpha = line.alpha[0];
  const double d = line.direction[0];
  if (d == 0) return 0;
  if (kind_ == ScalarLossKind::kAbsolute) {
    // The derivative falls by 2 ε |d| where α + s·d passes 0, at s = zero.
    const double zero = std::clamp(-alpha / d, 0.0, 1.0);
    const double slope = d * y - line.slope;
    const double cost = epsilon_ * std::abs(d);
    const double before = ClippedStep(slope + cost, line.curvature);
    if (alpha * d < 0 && before < zero) return before;
    return std::max(alpha * d < 0 ? zero : 0.0, ClippedStep(slope - cost, line.curvature));
  }
  if (kind_ != ScalarLossKind::kLogistic) {
    return ClippedStep(d * (y - gamma_ * alpha) - line.slope, gamma_ * d * d + line.curvature);
  }
  // The derivative y·d·ln((1 − b)/b) − slope − s·curvature decreases in s.
  return Root(0.0, 1.0, 0.5, [&](double s) -> ValueAndSlope {
    const double b = std::clamp(y * (alpha + s * d), 0.0, 1.0);
    return {line.slope + s * line.curvature - y * d * (std::log1p(-b) - std::log(b)),
            line.curvature + d * d / (b * (1 - b))};
  });
}

void ScalarLoss::Maximise(Index i, std::span<const double> z, double curvature,
                          std::span<double> alpha) const {
  const double y = label(i);
  if (kind_ == ScalarLossKind::kSquared) {
    alpha[0] = (y - z[0] + curvature * alpha[0]) / (1 + curvature);
    return;
  }
  if (kind_ == ScalarLossKind::kAbsolute) {
    const double slope = y - z[0] + curvature * alpha[0];
    const double beyond = std::abs(slope) - epsilon_;
    if (beyond == 0 && curvature == 0) return;
    alpha[0] = beyond <= 0 ? 0.0 : std::copysign(ClippedStep(beyond, curvature), slope);
    return;
  }
  const double before = y * alpha[0];
  const double margin = y * z[0];
  double b = 0;
  if (kind_ == ScalarLossKind::kLogistic) {
    // With b = 1/(1 + e^t): t = margin + curvature (b − before).
    const double t =
        Root(margin - curvature * before, margin + curvature * (1 - before), margin,
             [&](double candidate) -> ValueAndSlope {
               const double f = Fermi(candidate);
               return {candidate - margin - curvature * (f - before), 1 + curvature * f * (1 - f)};
             });
    b = Fermi(t);
  } else {
    const double slope = 1 - margin + curvature * before;
    b = ClippedStep(slope, gamma_ + curvature);
    if (gamma_ + curvature == 0 && slope == 0) b = before;
  }
  alpha[0] = y * b;
}

MulticlassLoss::MulticlassLoss(Index classes, std::vector<Index> labels, double gamma,
                               std::vector<double> costs)
    : classes_(classes), labels_(std::move(labels)), gamma_(gamma), costs_(std::move(costs)) {
  SLACKLINE_CHECK(classes >= 1, "there must be a class");
  SLACKLINE_CHECK(std::isfinite(gamma) && gamma >= 0, "gamma must not be negative");
  for (const Index y : labels_) SLACKLINE_CHECK(y >= 0 && y < classes, "a label is out of range");
  const std::size_t k = classes;
  SLACKLINE_CHECK(costs_.empty() || costs_.size() == k * k,
                  "there must be a cost for every pair of classes");
  for (std::size_t c = 0; c < costs_.size(); ++c) {
    SLACKLINE_CHECK(
        std::isfinite(costs_[c]) && costs_[c] >= 0 && (c / k != c % k || costs_[c] == 0),
        "costs must not be negative, and zero for the given class");
  }
}

double MulticlassLoss::lipschitz() const { return classes_ > 1 ? std::sqrt(2.0) : 0.0; }

double MulticlassLoss::cost(Index i, std::size_t j) const {
  const std::size_t y = label(i);
  if (costs_.empty()) return j == y ? 0.0 : 1.0;
  return costs_[y * classes_ + j];
}

void MulticlassLoss::Maximiser(Index i, std::span<const double> z, std::span<double> beta) const {
  const std::size_t y = label(i);
  for (std::size_t j = 0; j < beta.size(); ++j) beta[j] = cost(i, j) + z[j] - z[y];
  if (gamma_ > 0) {
    for (double& value : beta) value /= gamma_;
    ProjectOntoSimplex(beta);
    return;
  }
  const auto best = std::max_element(beta.begin(), beta.end()) - beta.begin();
  std::fill(beta.begin(), beta.end(), 0.0);
  beta[best] = 1;
}

double MulticlassLoss::Value(Index i, std::span<const double> z) const {
  std::vector<double> beta(z.size());
  Maximiser(i, z, beta);
  const double z_y = z[label(i)];
  double value = 0.5 * gamma_ * (1 - DotInOrder(beta, beta));
  for (std::size_t j = 0; j < z.size(); ++j) value += beta[j] * (cost(i, j) + z[j] - z_y);
  return value;
}

double MulticlassLoss::Conjugate(Index i, std::span<const double> alpha) const {
  double value = 0;
  double squares = 0;
  for (std::size_t j = 0; j < alpha.size(); ++j) {
    const double beta = (j == label(i) ? 1.0 : 0.0) - alpha[j];
    value -= beta * cost(i, j);
    squares += beta * beta;
  }
  return value - 0.5 * gamma_ * (1 - squares);
}

bool MulticlassLoss::InDomain(Index i, std::span<const double> alpha) const {
  double sum = 0;
  for (std::size_t j = 0; j < alpha.size(); ++j) {
    const double beta = (j == label(i) ? 1.0 : 0.0) - alpha[j];
    if (!(beta >= -kDomainRounding)) return false;
    sum += beta;
  }
  return std::abs(sum - 1) <= kDomainRounding;
}

void MulticlassLoss::Target(Index i, std::span<const double> z, std::span<double> u) const {
  Maximiser(i, z, u);
  for (double& value : u) value = -value;
  u[label(i)] += 1;
}

double MulticlassLoss::LineSearch(Index i, const SdcaLine& line) const {
  double slope = -line.slope;
  for (std::size_t j = 0; j < line.direction.size(); ++j) {
    const double beta = (j == label(i) ? 1.0 : 0.0) - line.alpha[j];
    slope += line.direction[j] * (gamma_ * beta - cost(i, j));
  }
  return ClippedStep(slope, gamma_ * DotInOrder(line.direction, line.direction) + line.curvature);
}

void MulticlassLoss::Maximise(Index i, std::span<const double> z, double curvature,
                              std::span<double> alpha) const {
  const std::size_t y = label(i);
  const double total = gamma_ + curvature;
  std::vector<double> beta(z.size());
  for (std::size_t j = 0; j < z.size(); ++j) beta[j] = (j == y ? 1.0 : 0.0) - alpha[j];
  if (total > 0) {
    for (std::size_t j = 0; j < z.size(); ++j) {
      beta[j] = (cost(i, j) + z[j] - z[y] + curvature * beta[j]) / total;
    }
    ProjectOntoSimplex(beta);
  } else {
    Maximiser(i, z, beta);
  }
  for (std::size_t j = 0; j < z.size(); ++j) alpha[j] = (j == y ? 1.0 : 0.0) - beta[j];
}

}  // namespace slackline::internal
