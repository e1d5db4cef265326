// SPDX-License-Identifier: BSD-3-Clause
//
// Proximal stochastic dual coordinate ascent for min_w P(w) = (1/n) Σ_i φ_i(X_iᵀw) + λ g(w), as a
// library. (For structured problems there is learner `prox-sdca`: prox_sdca_learner.h.)
//
// Source: Shalev-Shwartz, Zhang, "Proximal stochastic dual coordinate ascent", 2012, figure 1 with
// all step and output options.
//
//   symbol     here                              shape
//   X_i        SdcaFeatures                      d × k, applied, never formed
//   φ_i, g     SdcaLoss, ProxRegulariser         (prox_loss.h, prox_regulariser.h)
//   α          alpha()                           k for each of n examples
//   v          v_ = (λn)⁻¹ Σ X_i α_i             d
//   w          weights() = ∇g*(v)                d
//   ᾱ, w̄       AverageOutput(), RandomOutput()             as α, w
//
// D(α) = −(1/n) Σ φ_i*(−α_i) − λ g*(v) ≤ P(w*) ≤ P(w). Option III of the paper uses the exact
// ‖X_i‖, options IV and V the largest one; V needs γ > 0. Deviation: w̄ of the averaging option is
// ∇g*(v(ᾱ)), so that w̄ has a duality gap and keeps its zeros; for g = ½‖w‖² only, w̄ is the mean
// of the w^(t). Cost of a step: two sweeps over X_i, and over all of v for ProxKind::kQNorm.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/random.h>
#include <slackline/learning/standalone/prox_loss.h>
#include <slackline/learning/standalone/prox_regulariser.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// The matrices X_i. User features derive from this class. Spans: w and v have d entries, z and a
/// have k.
class SdcaFeatures {
 public:
  virtual ~SdcaFeatures() = default;
  virtual Index size() const = 0;        ///< n
  virtual Offset dimension() const = 0;  ///< d
  virtual Index outputs() const = 0;     ///< k
  /// z = X_iᵀ w
  virtual void Scores(Index i, std::span<const double> w, std::span<double> z) const = 0;
  /// v += scale · X_i a
  virtual void Add(Index i, std::span<const double> a, double scale, std::span<double> v) const = 0;
  /// The entries of v that Add may change.
  virtual void Rows(Index i, std::vector<Offset>* rows) const = 0;
  /// ‖X_i a‖²_D'
  virtual double SquaredNorm(Index i, std::span<const double> a, DualNorm norm) const = 0;
  /// An upper bound on max over ‖a‖₂ = 1 of ‖X_i a‖²_D'.
  virtual double SquaredBound(Index i, DualNorm norm) const = 0;
  /// r² if ‖X_i a‖²_D' = r² ‖a‖₂² for all a, else NaN; option I needs r².
  virtual double EvenSquaredNorm(Index i, DualNorm norm) const = 0;
};

/// X_i a = x_i ⊗ a: one row of weights for each output (class), over the features of the row x_i. d
/// = outputs · dimension of the rows; weights are stored output by output.
class RowFeatures : public SdcaFeatures {
 public:
  /// Requires rows with at least one feature, and outputs ≥ 1; else std::invalid_argument.
  RowFeatures(std::shared_ptr<const FeatureRows> rows, Index outputs);

  Index size() const override { return rows_->size(); }
  Offset dimension() const override { return static_cast<Offset>(outputs_) * rows_->dimension(); }
  Index outputs() const override { return outputs_; }
  void Scores(Index i, std::span<const double> w, std::span<double> z) const override;
  void Add(Index i, std::span<const double> a, double scale, std::span<double> v) const override;
  void Rows(Index i, std::vector<Offset>* rows) const override;
  double SquaredNorm(Index i, std::span<const double> a, DualNorm norm) const override;
  double SquaredBound(Index i, DualNorm norm) const override;
  double EvenSquaredNorm(Index i, DualNorm norm) const override;

 private:
  std::shared_ptr<const FeatureRows> rows_;
  Index outputs_;
};

/// Options I to V of figure 1.
enum class SdcaStep {
  kMaximise = 1,
  kLineSearch = 2,
  kOwnBound = 3,
  kCommonBound = 4,
  kSmooth = 5
};

/// A dual point with its primal point and both objectives.
struct SdcaPoint {
  std::vector<double> alpha;    ///< example by example
  std::vector<double> v;        ///< v(α), the centre included
  std::vector<double> weights;  ///< ∇g*(v(α))
  double primal = 0;
  double dual = 0;
  double gap() const { return primal - dual; }
};

class ProxSdca {
 public:
  /// features and loss must outlive the object, and agree in n and k; lambda > 0 and finite (else
  /// std::invalid_argument). Throws DataError when the step does not apply: kMaximise needs
  /// EvenSquaredNorm, kSmooth needs γ > 0.
  ProxSdca(const SdcaFeatures& features, const SdcaLoss& loss, const ProxRegulariser& regulariser,
           double lambda, SdcaStep step, std::int64_t seed);

  /// Makes `steps` steps, each on an example drawn uniformly.
  void Run(Offset steps);
  /// Makes one step on example i, for callers with an order of their own.
  void Visit(Index i);
  /// Replaces ½‖w‖² of the regulariser by ½‖w − centre‖², so that v(α) becomes centre + (λn)⁻¹ Σ
  /// X_i α_i. The dual point stays, and the outputs begin anew. Not for kQNorm. The centre at first
  /// is 0.
  void SetCentre(std::vector<double> centre);
  /// Everything that later steps and outputs depend on, for the same problem.
  void Archive(StateArchive* archive);
  /// Restarts both outputs: only later iterates count, and T₀ = steps so far.
  void BeginOutput();

  Offset steps() const { return steps_; }
  /// Empty: 0.
  std::span<const double> centre() const { return centre_; }
  std::span<const double> alpha() const { return alpha_; }
  std::span<const double> weights() const { return w_; }

  /// The newest point. O(data), as are AverageOutput and RandomOutput.
  SdcaPoint Newest() const;
  /// The averaging option: the mean of α^(T₀) … α^(T−1). Requires a step since BeginOutput (or the
  /// construction).
  SdcaPoint AverageOutput() const;
  /// The random option: α^(t) for t uniform in T₀+1 … T. Requires a step, as AverageOutput does.
  SdcaPoint RandomOutput() const;

 private:
  std::span<double> alpha(Index i) { return {alpha_.data() + i * k_, k_}; }
  void Step(Index i);
  double StepSize(Index i, double curvature) const;
  void Remember(Index i);
  std::vector<double> ImageOf(std::span<const double> alpha) const;
  SdcaPoint Evaluate(std::vector<double> alpha) const;

  const SdcaFeatures& features_;
  const SdcaLoss& loss_;
  ProxRegulariser regulariser_;
  double lambda_n_;
  double lambda_;
  SdcaStep step_;
  Random random_;
  std::size_t k_;
  double largest_bound_ = 0;  // R²
  std::vector<double> alpha_, v_, w_, z_, direction_;
  std::vector<Offset> rows_;
  std::vector<double> centre_;

  Offset steps_ = 0;
  Offset first_ = 0;           // T₀
  std::vector<double> sums_;   // Σ α_i^(t) over t in [T₀, since_[i])
  std::vector<Offset> since_;  // per example
  std::vector<double> random_alpha_;
};

}  // namespace slackline::internal
