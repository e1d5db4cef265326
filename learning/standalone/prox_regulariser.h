// SPDX-License-Identifier: BSD-3-Clause
//
// The regularisers g of proximal SDCA (prox_sdca.h), each with its conjugate and ∇g*(v) = argmax_w
// w·v − g(w).
//
// Source: Shalev-Shwartz, Zhang, "Proximal stochastic dual coordinate ascent", 2012, section 3.
// With τ = σ/λ:
//
//   kind          g(w)                  ∇g*(v)_i, t_i = max(0, |v_i| − τ)   g 1-s. c. in   ‖·‖_D'
//   kL2           ½‖w‖²                 v_i                                 ‖·‖₂           ‖·‖₂
//   kElasticNet   ½‖w‖² + τ‖w‖₁         sign(v_i) t_i                       ‖·‖₂           ‖·‖₂
//   kQNorm        (c/2)‖w‖_q² + τ‖w‖₁   sign(v_i) ‖t‖_p^{2−p} t_i^{p−1}/c   ‖·‖₁           ‖·‖_∞
// (1-s. c. in: 1-strongly convex in this norm.)
//
// kQNorm: 1/p + 1/q = 1, p = max(2, ln d), for instances whose largest entry is small but whose
// Euclidean norm is not (equations 9 to 11, in a form that needs no fixed point). Deviation: the
// paper has c = 3 ln d, with which g is not 1-strongly convex in ‖·‖₁ for d ≥ 6 (at v = (1, …, 1)
// the second derivative of ½‖v‖_p² along a vector of signs that sum to 0 is (p − 1) d^{2/p}; a test
// checks this). Here c = (p − 1) d^{2/p}, the smallest constant for which g* is 1-smooth in ‖·‖_∞;
// that is e² (ln d − 1) for d ≥ 8.
#pragma once

#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

/// sign(v) · max(0, |v| − threshold): 0 exactly for |v| ≤ threshold.
inline double SoftThreshold(double v, double threshold) {
  if (v > threshold) return v - threshold;
  return v < -threshold ? v + threshold : 0.0;
}

/// The same of every entry.
inline void SoftThreshold(std::span<double> v, double threshold) {
  for (double& x : v) x = SoftThreshold(x, threshold);
}

enum class ProxKind { kL2, kElasticNet, kQNorm };
/// ‖·‖_D', in which g* is 1-smooth.
enum class DualNorm { kEuclidean, kMaximum };

class ProxRegulariser {
 public:
  /// dimension d ≥ 1; threshold τ ≥ 0 and finite, 0 for kL2 (else std::invalid_argument).
  ProxRegulariser(ProxKind kind, Offset dimension, double threshold = 0);

  ProxKind kind() const { return kind_; }
  Offset dimension() const { return dimension_; }
  double threshold() const { return threshold_; }
  DualNorm norm() const {
    return kind_ == ProxKind::kQNorm ? DualNorm::kMaximum : DualNorm::kEuclidean;
  }
  /// c of kQNorm.
  double constant() const { return constant_; }
  /// Whether entry i of ∇g*(v) depends on v_i alone.
  bool separable() const { return kind_ != ProxKind::kQNorm; }

  double Value(std::span<const double> w) const;      ///< g(w), d entries
  double Conjugate(std::span<const double> v) const;  ///< g*(v), d entries
  /// w = ∇g*(v), d entries each.
  void Gradient(std::span<const double> v, std::span<double> w) const;

 private:
  /// Returns ‖t‖_p, and sets *largest to the largest t_i.
  double ThresholdedNorm(std::span<const double> v, double* largest) const;

  ProxKind kind_;
  Offset dimension_;
  double threshold_;
  double p_ = 2;
  double constant_ = 1;
};

}  // namespace slackline::internal
