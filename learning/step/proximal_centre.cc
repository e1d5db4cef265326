// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/step/proximal_centre.h>

#include <algorithm>

namespace slackline::internal {

void ProximalCentre::Move(double kappa, double lambda, std::vector<double>* weights,
                          const SignConstraints& signs) {
  if (kappa == 0 && kappa_ == 0) return;
  // λ Ψμ = (κ + λ) w − κ c; the new w is (κ' w + λ Ψμ) / (κ' + λ).
  point_.resize(weights->size(), 0.0);
  const double scale = 1 / (kappa + lambda);
  const double keep = (kappa + kappa_ + lambda) * scale;
  const double away = kappa_ * scale;
  for (std::size_t k = 0; k < weights->size(); ++k) {
    double& weight = (*weights)[k];
    const double before = weight;
    weight = keep * before - away * point_[k];
    point_[k] = before;
  }
  for (const SignConstraints::Entry& entry : signs.entries()) {
    // The sweep has taken v for the new c, which is v clipped.
    double& centre = point_[entry.at];
    const double v = centre;
    centre = SignConstraints::Clip(v, entry.sign);
    (*weights)[entry.at] += kappa * scale * (centre - v);
  }
  kappa_ = kappa;
  at_point_ = kappa > 0;
  if (kappa_ == 0) point_ = {};
}

double ProximalCentre::Gap(double lambda, std::span<const double> weights) const {
  if (kappa_ == 0) return 0;
  double sum = 0;  // Ψμ − w = κ/λ (w − c)
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double d = weights[k] - point_[k];
    sum += d * d;
  }
  return kappa_ * kappa_ / (2 * lambda) * sum;
}

void ProximalCentre::Blend(double lambda, std::span<double> weights) const {
  if (kappa_ == 0) return;
  const double share = kappa_ / (kappa_ + lambda);
  for (std::size_t k = 0; k < weights.size(); ++k) weights[k] += share * (point_[k] - weights[k]);
}

void ProximalCentre::Archive(Offset num_weights, double lambda, StateArchive* archive) {
  archive->NonNegativeReal(&kappa_);
  // On a path over λ the centre may have the κ of a larger λ until the next pass moves the centre,
  // so κ may exceed the bound for this λ.
  constexpr double kAnyLambda = 1e60;
  archive->Require(kappa_ <= std::max(kAnyLambda, 1.001 * kLargestKappa * lambda),
                   "a proximal centre is too strong");
  if (archive->loading()) point_.assign(kappa_ > 0 ? num_weights : 0, 0.0);
  archive->FiniteReals(point_);
  archive->Flag(&at_point_);
  archive->Require(!at_point_ || kappa_ > 0, "weights lie at a centre that does not exist");
}

}  // namespace slackline::internal
