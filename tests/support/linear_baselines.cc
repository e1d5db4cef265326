// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/linear_baselines.h"

#include <cmath>
#include <numeric>
#include <utility>

#include <slackline/learning/standalone/prox_regulariser.h>

namespace slackline::internal::test {
namespace {

/// Derivatives of the losses, and products with the rows.
class Terms {
 public:
  explicit Terms(const LinearProblem& problem)
      : rows(*problem.rows),
        loss(problem.loss, problem.labels, problem.loss_parameter),
        lambda(problem.lambda),
        l1(problem.l1) {}

  Index size() const { return rows.size(); }
  double Score(Index i, const std::vector<double>& w) const {
    double z = 0;
    ForEachValue(rows.row(i), rows.dimension(),
                 [&](std::size_t f, double value) { z += w[f] * value; });
    return z;
  }
  double Derivative(Index i, double z) const {
    double u = 0;
    loss.Target(i, {&z, 1}, {&u, 1});
    return -u;
  }
  void Add(Index i, double scale, std::vector<double>* w) const {
    ForEachValue(rows.row(i), rows.dimension(),
                 [&](std::size_t f, double value) { (*w)[f] += scale * value; });
  }
  /// argmin λ/2 ‖w‖² + σ‖w‖₁ + 1/(2η) ‖w − v‖²
  void Prox(double step, std::vector<double>* v) const {
    for (double& x : *v) x = SoftThreshold(x, step * l1) / (1 + step * lambda);
  }
  /// The largest eigenvalue of XᵀX/n.
  double LargestEigenvalue() const {
    Random random(1);
    std::vector<double> v(Size(rows.dimension()));
    for (double& value : v) value = random.Normal();
    double value = 0;
    for (int k = 0; k < 30; ++k) {
      std::vector<double> next(v.size(), 0.0);
      for (Index i = 0; i < size(); ++i) Add(i, Score(i, v) / size(), &next);
      value = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
      for (double& x : next) x /= value;
      v = std::move(next);
    }
    return value;
  }

  const FeatureRows& rows;
  const ScalarLoss loss;
  const double lambda, l1;
};

class Fista final : public LinearBaseline {
 public:
  Fista(const LinearProblem& problem, bool restarts)
      : terms_(problem),
        restarts_(restarts),
        step_(terms_.loss.gamma() / (1.01 * terms_.LargestEigenvalue())),
        w_(Size(terms_.rows.dimension()), 0.0),
        y_(w_) {}

  void Pass() override {
    std::vector<double> next = y_;
    for (Index i = 0; i < terms_.size(); ++i)
      terms_.Add(i, -step_ / terms_.size() * terms_.Derivative(i, terms_.Score(i, y_)), &next);
    terms_.Prox(step_, &next);
    double uphill = 0;
    for (std::size_t f = 0; f < w_.size(); ++f) uphill += (y_[f] - next[f]) * (next[f] - w_[f]);
    if (restarts_ && uphill > 0) t_ = 1;
    const double t = (1 + std::sqrt(1 + 4 * t_ * t_)) / 2;
    for (std::size_t f = 0; f < w_.size(); ++f) y_[f] = next[f] + (t_ - 1) / t * (next[f] - w_[f]);
    t_ = t;
    w_ = std::move(next);
  }
  const std::vector<double>& weights() override { return w_; }

 private:
  Terms terms_;
  bool restarts_;
  double step_;
  std::vector<double> w_, y_;
  double t_ = 1;
};

class ProximalSgd final : public LinearBaseline {
 public:
  ProximalSgd(const LinearProblem& problem, double first_step, std::uint64_t seed)
      : terms_(problem),
        first_step_(first_step),
        random_(seed),
        w_(Size(terms_.rows.dimension()), 0.0) {}

  void Pass() override {
    for (Index k = 0; k < terms_.size(); ++k) {
      const double step = terms_.lambda > 0
                              ? first_step_ / (1 + first_step_ * terms_.lambda * steps_)
                              : first_step_ / std::sqrt(1 + steps_);
      const auto i = static_cast<Index>(random_.Below(static_cast<std::uint64_t>(terms_.size())));
      terms_.Add(i, -step * terms_.Derivative(i, terms_.Score(i, w_)), &w_);
      terms_.Prox(step, &w_);
      ++steps_;
    }
  }
  const std::vector<double>& weights() override { return w_; }

 private:
  Terms terms_;
  double first_step_;
  Random random_;
  std::vector<double> w_;
  double steps_ = 0;
};

class Rda final : public LinearBaseline {
 public:
  Rda(const LinearProblem& problem, double strength, std::uint64_t seed)
      : terms_(problem),
        strength_(strength),
        random_(seed),
        sum_(Size(terms_.rows.dimension()), 0.0),
        w_(sum_) {}

  void Pass() override {
    for (Index k = 0; k < terms_.size(); ++k) {
      const auto i = static_cast<Index>(random_.Below(static_cast<std::uint64_t>(terms_.size())));
      double z = 0;  // the weights follow from the sums, so that a step touches one row alone
      ForEachValue(terms_.rows.row(i), terms_.rows.dimension(),
                   [&](std::size_t f, double value) { z += Weight(f) * value; });
      terms_.Add(i, terms_.Derivative(i, z), &sum_);
      ++steps_;
    }
  }
  const std::vector<double>& weights() override {
    for (std::size_t f = 0; f < w_.size(); ++f) w_[f] = Weight(f);
    return w_;
  }

 private:
  double Weight(std::size_t f) const {
    if (steps_ == 0) return 0;
    const double own = terms_.lambda > 0 ? strength_ / steps_ : strength_ / std::sqrt(steps_);
    return -SoftThreshold(sum_[f] / steps_, terms_.l1) / (terms_.lambda + own);
  }

  Terms terms_;
  double strength_;
  Random random_;
  std::vector<double> sum_, w_;
  double steps_ = 0;
};

}  // namespace

std::unique_ptr<LinearBaseline> MakeFista(const LinearProblem& problem, bool restarts) {
  return std::make_unique<Fista>(problem, restarts);
}
std::unique_ptr<LinearBaseline> MakeProximalSgd(const LinearProblem& problem, double first_step,
                                                std::uint64_t seed) {
  return std::make_unique<ProximalSgd>(problem, first_step, seed);
}
std::unique_ptr<LinearBaseline> MakeRda(const LinearProblem& problem, double strength,
                                        std::uint64_t seed) {
  return std::make_unique<Rda>(problem, strength, seed);
}

double LinearObjective(const LinearProblem& problem, const std::vector<double>& weights) {
  const Terms terms(problem);
  double losses = 0, regulariser = 0;
  for (Index i = 0; i < terms.size(); ++i) {
    const double z = terms.Score(i, weights);
    losses += terms.loss.Value(i, {&z, 1});
  }
  for (const double x : weights) regulariser += terms.lambda / 2 * x * x + terms.l1 * std::abs(x);
  return losses / terms.size() + regulariser;
}

}  // namespace slackline::internal::test
