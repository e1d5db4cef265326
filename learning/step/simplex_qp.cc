// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/simplex_qp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <slackline/core/check.h>
#include <slackline/learning/step/step.h>

namespace slackline::internal {
namespace {

constexpr double kRidge = 1e-13;           // of the largest curvature, added in Newton systems
constexpr double kNoGain = 1e-16;          // of the value: rounding
constexpr int kRoundsWithoutGain = 3;      // in a row end the iteration
constexpr std::size_t kPairwiseSteps = 8;  // between two rounds of Newton steps
constexpr int kMostSteepestSteps = 2000;
constexpr double kFlat = 1e-14;  // slope, relative to the gradient, at which these steps end

auto Symmetric(const Eigen::MatrixXd& lower) { return lower.selfadjointView<Eigen::Lower>(); }

class Solver {
 public:
  Solver(const SimplexQp& qp, std::span<double> alpha)
      : qp_(qp), alpha_(alpha), gradient_(qp.linear.size(), 0.0) {}

  SimplexQpResult Run(double tolerance) {
    const std::size_t most_rounds = 100 + 20 * alpha_.size();
    int idle = 0;
    for (std::size_t round = 0; round < most_rounds; ++round) {
      ReadGradient();
      if (Gap() <= tolerance) break;
      const double gain = PairwiseSteps(tolerance) + NewtonSteps();
      idle = gain <= kNoGain * std::abs(value_) ? idle + 1 : 0;
      if (idle == kRoundsWithoutGain) break;
    }
    Normalise();
    ReadGradient();
    return {std::max(0.0, Gap()), steps_, work_};
  }

  void RunSteepest() {
    StartAtBestEntry();
    ReadGradient();
    for (int step = 0; step < kMostSteepestSteps; ++step) {
      if (!SteepestStep()) break;
    }
  }

 private:
  double H(std::size_t j, std::size_t k) const { return qp_.scale * qp_.gram[j * qp_.stride + k]; }

  void Normalise() {
    double sum = 0;
    for (const double a : alpha_) sum += a;
    for (double& a : alpha_) a /= sum;
  }

  /// Computes gradient_ and value_ from scratch; support_ = the entries that are not zero.
  void ReadGradient() {
    support_.clear();
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
      if (alpha_[k] > 0) support_.push_back(k);
    }
    std::copy(qp_.linear.begin(), qp_.linear.end(), gradient_.begin());
    work_ += static_cast<std::int64_t>(support_.size() * gradient_.size());
    for (const std::size_t s : support_) {
      const double* row = qp_.gram + s * qp_.stride;
      const double factor = qp_.scale * alpha_[s];
      for (std::size_t k = 0; k < gradient_.size(); ++k) gradient_[k] -= factor * row[k];
    }
    value_ = 0;
    for (const std::size_t s : support_) value_ += 0.5 * alpha_[s] * (qp_.linear[s] + gradient_[s]);
  }

  /// Sums differences to the largest entry, since a large common part of all gradients would
  /// cancel.
  double Gap() const {
    const double top = *std::max_element(gradient_.begin(), gradient_.end());
    double gap = 0;
    for (const std::size_t s : support_) gap += alpha_[s] * (top - gradient_[s]);
    return gap;
  }

  double PairwiseSteps(double tolerance) {
    double gain = 0;
    for (std::size_t step = 0; step < kPairwiseSteps; ++step) {
      const double own = PairwiseStep(tolerance);
      if (own <= 0) break;
      gain += own;
    }
    return gain;
  }

  /// Moves weight to the entry of the largest gradient, from the entry for which this gains most.
  /// Returns the gain.
  double PairwiseStep(double tolerance) {
    const std::size_t up = std::max_element(gradient_.begin(), gradient_.end()) - gradient_.begin();
    std::size_t down = alpha_.size();
    double best = 0;
    double length = 0;
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
      if (alpha_[k] <= 0 || gradient_[up] - gradient_[k] <= tolerance) continue;
      const double slope = gradient_[up] - gradient_[k];
      const double curvature = H(up, up) + H(k, k) - 2 * H(up, k);
      const double step = LineSearch(slope, curvature, alpha_[k]);
      const double gain = step * (slope - 0.5 * step * std::max(0.0, curvature));
      if (gain > best) {
        best = gain;
        down = k;
        length = step;
      }
    }
    if (down == alpha_.size()) return 0;
    MovePair(up, down, length);
    return best;
  }

  void MovePair(std::size_t up, std::size_t down, double length) {
    work_ += static_cast<std::int64_t>(2 * alpha_.size());
    alpha_[up] += length;
    alpha_[down] = length == alpha_[down] ? 0 : alpha_[down] - length;
    for (std::size_t k = 0; k < gradient_.size(); ++k)
      gradient_[k] -= length * (H(up, k) - H(down, k));
    ++steps_;
  }

  void StartAtBestEntry() {
    const auto value = [&](std::size_t k) { return qp_.linear[k] - 0.5 * H(k, k); };
    std::size_t start = 0;
    for (std::size_t k = 1; k < alpha_.size(); ++k) {
      if (value(k) > value(start)) start = k;
    }
    std::fill(alpha_.begin(), alpha_.end(), 0.0);
    alpha_[start] = 1;
  }

  /// Moves weight from the lowest gradient of the support to the highest gradient. False when the
  /// slope is flat.
  bool SteepestStep() {
    const std::size_t up = std::max_element(gradient_.begin(), gradient_.end()) - gradient_.begin();
    std::size_t down = alpha_.size();
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
      if (alpha_[k] > 0 && (down == alpha_.size() || gradient_[k] < gradient_[down])) down = k;
    }
    if (down == alpha_.size()) return false;  // a NaN step has left no entry > 0
    const double slope = gradient_[up] - gradient_[down];
    if (!(slope > kFlat * std::max(1e-300, std::abs(gradient_[up])))) return false;
    const double curvature = H(up, up) + H(down, down) - 2 * H(up, down);
    MovePair(up, down, LineSearch(slope, curvature, alpha_[down]));
    return true;
  }

  /// Newton steps on the entries that are not zero; entries that reach zero leave the support.
  /// Returns the gain.
  double NewtonSteps() {
    double gain = 0;
    ReadGradient();
    while (support_.size() > 1) {
      const std::size_t count = support_.size();
      const double own = NewtonStep();
      if (own <= 0) break;
      gain += own;
      if (support_.size() == count) break;  // a full step: the optimum on the support
    }
    return gain;
  }

  double NewtonStep() {
    const auto reference = std::max_element(support_.begin(), support_.end(),
                                            [&](auto j, auto k) { return alpha_[j] < alpha_[k]; });
    std::iter_swap(reference, support_.end() - 1);
    const std::size_t r = support_.back();
    const auto n = static_cast<Eigen::Index>(support_.size()) - 1;
    Eigen::MatrixXd system(n, n);
    Eigen::VectorXd right(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      const std::size_t sj = support_[j];
      right[j] = gradient_[sj] - gradient_[r];
      for (Eigen::Index k = 0; k <= j; ++k) {
        const std::size_t sk = support_[k];
        system(j, k) = H(sj, sk) - H(sj, r) - H(sk, r) + H(r, r);
      }
    }
    work_ += static_cast<std::int64_t>(n * n * n / 6 + 4 * n * n);
    const Eigen::VectorXd diagonal = system.diagonal();
    system.diagonal().array() += kRidge * std::max(diagonal.maxCoeff(), 1e-300);
    const Eigen::LLT<Eigen::MatrixXd> factor(system);
    // Rounding errors may exceed the ridge. A factorisation with pivots then works, at several
    // times the cost.
    const Eigen::VectorXd direction = factor.info() == Eigen::Success
                                          ? Eigen::VectorXd(factor.solve(right))
                                          : Eigen::VectorXd(Symmetric(system).ldlt().solve(right));
    if (!direction.allFinite()) return 0;
    system.diagonal() = diagonal;
    const double slope = right.dot(direction);
    const double curvature = direction.dot(Symmetric(system) * direction);
    return MoveOnSupport(direction, slope, curvature);
  }

  /// Moves along `direction`; the entry of support_.back() balances the others. Returns the gain.
  double MoveOnSupport(const Eigen::VectorXd& direction, double slope, double curvature) {
    if (!(slope > 0)) return 0;
    const auto d = [&](std::size_t j) {
      return j + 1 < support_.size() ? direction[static_cast<Eigen::Index>(j)] : -direction.sum();
    };
    double limit = kInfinity;
    std::size_t blocking = support_.size();
    for (std::size_t j = 0; j < support_.size(); ++j) {
      if (d(j) < 0 && alpha_[support_[j]] < -d(j) * limit) {
        limit = alpha_[support_[j]] / -d(j);
        blocking = j;
      }
    }
    if (blocking == support_.size()) return 0;  // no direction at all
    const double length = LineSearch(slope, curvature, limit);
    for (std::size_t j = 0; j < support_.size(); ++j) {
      double& a = alpha_[support_[j]];
      a = j == blocking && length == limit ? 0 : std::max(0.0, a + length * d(j));
    }
    ++steps_;
    ReadGradient();
    return length * (slope - 0.5 * length * std::max(0.0, curvature));
  }

  const SimplexQp& qp_;
  std::span<double> alpha_;
  std::vector<double> gradient_;
  std::vector<std::size_t> support_;
  double value_ = 0;
  Index steps_ = 0;
  std::int64_t work_ = 0;
};

void CheckSizes(const SimplexQp& qp, std::span<const double> alpha) {
  SLACKLINE_CHECK(!alpha.empty() && alpha.size() == qp.linear.size() && alpha.size() <= qp.stride,
                  "the sizes of a quadratic program do not fit each other");
}

}  // namespace

SimplexQpResult MaximiseOverSimplex(const SimplexQp& qp, double tolerance,
                                    std::span<double> alpha) {
  CheckSizes(qp, alpha);
  return Solver(qp, alpha).Run(tolerance);
}

void MaximiseSmallSimplexQp(const SimplexQp& qp, std::span<double> alpha) {
  CheckSizes(qp, alpha);
  Solver(qp, alpha).RunSteepest();
}

}  // namespace slackline::internal
