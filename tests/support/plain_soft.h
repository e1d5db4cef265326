// SPDX-License-Identifier: BSD-3-Clause
//
// The dual with soft constraints (docs/notation.md, section 3) by its definition, from dense
// features in extended precision. Tests compare the steps on factor blocks with it.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <slackline/learning/factor_blocks/factor_blocks.h>

#include "tests/support/vectors.h"

namespace slackline::internal::test {

using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// The dual with the multipliers, smoothing and proximal centre of the blocks. μ is the flat tables
/// of the examples one after the other. Requires problems without global factors.
class PlainSoft {
 public:
  /// centre: c, or empty where the blocks have none.
  PlainSoft(const FactorBlocks& blocks, std::span<const double> centre);

  /// The first column of a part, and the column behind its last.
  std::pair<Offset, Offset> Columns(Index m, Index part) const;
  /// μ of the blocks.
  RealVector Read(const FactorBlocks& blocks) const;
  /// The quantities of a point from which the dual is computed.
  struct Point {
    RealVector mu;
    RealVector g;  ///< Ψμ λ = Σ μ ψ / M
    RealVector v;  ///< A_ci μ_c − μ_i
  };
  Point At(const RealVector& mu) const;
  Offset size() const { return columns_; }
  RealVector Weights(const Point& point) const;
  Real Value(const Point& point) const;
  /// The dual without constraints and smoothing.
  Real ValueOfTables(const Point& point) const;
  /// g(w, δ) at δ = η + v/ρ, without smoothing, and Σ ‖v‖²/(2ρM), which G_ρ adds to it.
  Real Relaxed(const Point& point) const;
  Real Penalty(const Point& point) const;
  /// (rise, bend) of the dual along point + t·d, which is begin + rise·t + bend·t². O(non-zeros of
  /// d).
  std::pair<Real, Real> Parabola(const Point& point, const RealVector& d) const;

 private:
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  const FactorGraph& graph(Index m) const { return problem_.data().example(m).graph(); }
  void FillColumns(Index m);
  void FillAgreement(const FactorBlocks& blocks, Index m, Offset* row);

  const Problem& problem_;
  Real rho_;
  Real smoothing_;
  Real kappa_;
  RealVector centre_;
  Offset columns_ = 0;
  std::vector<Offset> begin_;  // per example
  Matrix psi_;                 // per column: ψ_a(y_a)
  Matrix agreement_;           // one row per (factor, variable, state): A_ci μ_c − μ_i
  RealVector loss_, eta_;
};

}  // namespace slackline::internal::test
