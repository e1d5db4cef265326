// SPDX-License-Identifier: BSD-3-Clause
//
// The losses φ_i of proximal SDCA (prox_sdca.h), each with its conjugate and the operations that
// steps need.
//
// Source: Shalev-Shwartz, Zhang, "Proximal stochastic dual coordinate ascent", 2012, sections 1 and
// 3.3. Norms of R^k are Euclidean here (‖·‖_P = ‖·‖_D = ‖·‖₂), also for multiclass losses, where
// the paper has ‖·‖_D = ‖·‖₁. With Euclidean norms, smoothing by a quadratic of weight γ makes φ*
// γ-strongly convex, and the classes' instances x ⊗ e_j have ‖X_i‖ = ‖x‖.
//
//   k = 1            φ(z)                              φ*(−α)                         γ   Lipschitz
//   hinge            max(0, 1 − yz)                    −yα           yα ∈ [0, 1]      0   1
//   smoothed hinge   max_{b∈[0,1]} b(1 − yz) − γb²/2   −yα + γα²/2   yα ∈ [0, 1]      γ   1
//   squared          (z − y)²/2, y any number          α²/2 − yα                      1   none
//   logistic         ln(1 + e^{−yz})                   b ln b + (1−b) ln(1−b), b=yα   4   1
//   absolute         max(0, |z − y| − ε)               ε|α| − yα     α ∈ [−1, 1]      0   1
//
//   multiclass (k classes, label y, costs c_j = cost of class j, c_y = 0), α = e_y − β with β in
//   the simplex:
//     φ(z) = max_β β·(c + z) − z_y + γ/2 (1 − ‖β‖²),   φ*(−α) = −β·c − γ/2 (1 − ‖β‖²)
//   with Lipschitz constant √2.
//   γ = 0 is the generalised hinge of equation (12). The smoothed loss lies between this hinge and
//   this hinge + γ/2, and is ≥ 0 as the theorems require. (The paper's section 3.3 has φ*(α) =
//   +Σ α_j δ(j, y); its own derivation gives −Σ. With the misprint the numerator of its last
//   procedure, P_i + D_i + …, is not the duality gap.)
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// Data of one step of size s ∈ [0, 1] along a direction from α: maximise −φ*(−(α + s·direction)) −
/// s·slope − s²·curvature/2.
struct SdcaLine {
  std::span<const double> alpha;
  std::span<const double> direction;  ///< u − α with −u ∈ ∂φ
  double slope = 0;                   ///< w·X_i direction
  double curvature = 0;               ///< ‖X_i direction‖²/(λn) ≥ 0
};

/// Convex φ_i: R^k → R, i < size. User losses derive from this class. Spans have k entries; α must
/// lie in the domain of φ*, which contains 0.
class SdcaLoss {
 public:
  virtual ~SdcaLoss() = default;
  virtual Index size() const = 0;     ///< n
  virtual Index outputs() const = 0;  ///< k
  /// γ ≥ 0: φ_i* is γ-strongly convex in ‖·‖₂.
  virtual double gamma() const = 0;
  /// Lipschitz constant of φ_i; ∞ when there is none.
  virtual double lipschitz() const = 0;

  virtual double Value(Index i, std::span<const double> z) const = 0;          ///< φ_i(z)
  virtual double Conjugate(Index i, std::span<const double> alpha) const = 0;  ///< φ_i*(−α)
  /// Whether φ_i*(−α) is finite, where the loss can tell: states from files are checked by it.
  virtual bool InDomain(Index i, std::span<const double> alpha) const {
    static_cast<void>(i);
    static_cast<void>(alpha);
    return true;
  }
  /// Some u with −u ∈ ∂φ_i(z).
  virtual void Target(Index i, std::span<const double> z, std::span<double> u) const = 0;
  /// The best s of the line, in [0, 1].
  virtual double LineSearch(Index i, const SdcaLine& line) const = 0;
  /// Option I where X_iᵀX_i = r² I, with curvature = r²/(λn): α becomes argmax_α' −φ*(−α') − z·(α'
  /// − α) − curvature/2 ‖α' − α‖².
  virtual void Maximise(Index i, std::span<const double> z, double curvature,
                        std::span<double> alpha) const = 0;
};

enum class ScalarLossKind { kHinge, kSmoothedHinge, kSquared, kLogistic, kAbsolute };
/// "hinge", "smoothed-hinge", "squared", "logistic", "absolute".
std::string_view Name(ScalarLossKind kind);
/// Whether the labels are any numbers, and not ±1.
inline bool TakesNumbers(ScalarLossKind kind) {
  return kind == ScalarLossKind::kSquared || kind == ScalarLossKind::kAbsolute;
}

class ScalarLoss : public SdcaLoss {
 public:
  /// labels: ±1, or any finite numbers where TakesNumbers(kind). parameter: γ > 0 of
  /// kSmoothedHinge, ε ≥ 0 of kAbsolute, else ignored. Throws std::invalid_argument otherwise.
  ScalarLoss(ScalarLossKind kind, std::vector<double> labels, double parameter = 0);

  Index size() const override { return static_cast<Index>(labels_.size()); }
  Index outputs() const override { return 1; }
  double gamma() const override { return gamma_; }
  double lipschitz() const override { return kind_ == ScalarLossKind::kSquared ? kInfinity : 1.0; }
  double Value(Index i, std::span<const double> z) const override;
  double Conjugate(Index i, std::span<const double> alpha) const override;
  bool InDomain(Index i, std::span<const double> alpha) const override;
  void Target(Index i, std::span<const double> z, std::span<double> u) const override;
  double LineSearch(Index i, const SdcaLine& line) const override;
  void Maximise(Index i, std::span<const double> z, double curvature,
                std::span<double> alpha) const override;

 private:
  double label(Index i) const { return labels_[i]; }

  ScalarLossKind kind_;
  std::vector<double> labels_;
  double gamma_ = 0;
  double epsilon_ = 0;
};

class MulticlassLoss : public SdcaLoss {
 public:
  /// labels in [0, classes). costs[true class · classes + predicted class] ≥ 0, zero where the two
  /// agree; empty = 1 for every error. gamma ≥ 0. Throws std::invalid_argument otherwise.
  MulticlassLoss(Index classes, std::vector<Index> labels, double gamma = 0,
                 std::vector<double> costs = {});

  Index size() const override { return static_cast<Index>(labels_.size()); }
  Index outputs() const override { return classes_; }
  double gamma() const override { return gamma_; }
  double lipschitz() const override;
  double Value(Index i, std::span<const double> z) const override;
  double Conjugate(Index i, std::span<const double> alpha) const override;
  bool InDomain(Index i, std::span<const double> alpha) const override;
  void Target(Index i, std::span<const double> z, std::span<double> u) const override;
  double LineSearch(Index i, const SdcaLine& line) const override;
  void Maximise(Index i, std::span<const double> z, double curvature,
                std::span<double> alpha) const override;

 private:
  std::size_t label(Index i) const { return labels_[i]; }
  double cost(Index i, std::size_t j) const;
  /// The β that attains the maximum of φ_i(z).
  void Maximiser(Index i, std::span<const double> z, std::span<double> beta) const;

  Index classes_;
  std::vector<Index> labels_;
  double gamma_;
  std::vector<double> costs_;
};

}  // namespace slackline::internal
