// SPDX-License-Identifier: BSD-3-Clause
//
// The dual over active sets by its definition, from dense features in extended precision, and steps
// on this dual whose lengths come from its values. Tests compare the engine of example blocks with
// it.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include <slackline/learning/example_blocks/active_set_blocks.h>

namespace slackline::internal::test {

/// The dual of P(w) + κ/2 ‖w − c‖² in α: D = Σ α Δ / M + min_w λ/2 ‖w‖² + κ/2 ‖w − c‖² − w·g with
/// g = Σ α ψ / M.
class PlainDual {
 public:
  using Real = long double;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  struct Corner {
    Vector psi;  ///< φ(ground truth) − φ(corner)
    Real loss = 0;
    Real alpha = 0;
  };

  /// Copies the corners and α of the blocks. centre: c, or empty where the blocks have none.
  PlainDual(const ActiveSetBlocks& blocks, std::span<const double> centre);

  std::vector<Corner>& example(Index m) { return examples_[m]; }
  /// Corner a of the given set of example m, with α = 0.
  Corner ReadCorner(Index m, const ActiveSet& set, Index a) const;

  Real Value() const { return ValueOf(Gradient(), Loss()); }
  Vector Weights() const { return WeightsOf(Gradient()); }
  /// Ψα = Σ α ψ / (λM).
  Vector Point() const { return Gradient() / lambda_; }
  /// Σ α Δ / M.
  Real Loss() const;
  /// H of the corner at the weights.
  Real Score(const Corner& corner) const { return corner.loss - Weights().dot(corner.psi); }

  struct Improvement {
    Real gap = 0;  ///< max H − min H over α > 0, before the first step
    int steps = 0;
    bool clear = true;  ///< no step had a choice between corners of equal score
  };
  /// Steps on example m until the gap max H − min H is at most `most` or, with most < 0, a tenth of
  /// its first value; at most 20 steps. (A pairwise step leaves its two corners with equal scores,
  /// up to rounding.)
  Improvement Improve(Index m, StepKind kind, Real most);
  /// max H − min H over α > 0 of example m.
  Real Gap(Index m) const { return FindExtremes(m).gap(); }

 private:
  struct Extremes {
    std::size_t best = 0;
    std::size_t worst = 0;  // among those of positive weight
    bool clear = true;
    std::vector<Real> scores;

    Real gap() const { return scores[best] - scores[worst]; }
  };
  Extremes FindExtremes(Index m) const;
  Real Step(Index m, const Extremes& at, StepKind kind);
  Real LineMaximum(Index m, const std::vector<Real>& d, Real limit) const;
  Vector Gradient() const;
  Vector WeightsOf(const Vector& g) const { return (kappa_ * centre_ + g) / (kappa_ + lambda_); }
  Real ValueOf(const Vector& g, Real loss) const;

  const Problem& problem_;
  Real lambda_;
  Real kappa_;
  Vector centre_;
  std::vector<std::vector<Corner>> examples_;
};

}  // namespace slackline::internal::test
