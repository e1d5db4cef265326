// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/quadratic_program.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <Eigen/LU>
#include <Eigen/QR>

#include <slackline/core/check.h>
#include <slackline/core/types.h>

namespace slackline::internal::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Mehrotra's predictor-corrector method (Nocedal and Wright, 2nd ed., algorithm 14.3, with a
// quadratic term as in section 16.6). Directions come from the system scaled by D = (X/S)^½, in
// which the Hessian I + DQD stays well conditioned.

template <class Real>
class InteriorPoint {
 public:
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

  InteriorPoint(const MatrixXd& q, const VectorXd& c, const MatrixXd& a, const VectorXd& b)
      : q_(q.cast<Real>()), c_(c.cast<Real>()), a_(a.cast<Real>()), b_(b.cast<Real>()) {}

  /// Runs until no progress is made. The result and error() are then those of the best point.
  QpResult Run() {
    const auto n = c_.size();
    at_ = {Vector::Ones(n), Vector::Zero(b_.size()), Vector::Constant(n, 1 + Largest(c_))};
    Iterate best = at_;
    int since_best = 0;
    int iteration = 0;
    for (; iteration < 200 && since_best < 15 && error_ > 1e-14; ++iteration) {
      const double error = Error();
      if (error < 0.9 * error_) {
        error_ = error;
        best = at_;
        since_best = 0;
      } else {
        ++since_best;
      }
      if (!Step()) break;
    }
    const Real quadratic = best.x.dot(q_ * best.x) / 2;
    return {best.x.template cast<double>(), static_cast<double>(quadratic + c_.dot(best.x)),
            static_cast<double>(b_.dot(best.y) - quadratic), iteration};
  }

  double error() const { return error_; }

 private:
  struct Iterate {
    Vector x, y, s;
  };

  static Real Largest(const Vector& v) {
    return v.size() == 0 ? Real(0) : v.template lpNorm<Eigen::Infinity>();
  }
  Vector DualResidual() const { return q_ * at_.x + c_ - a_.transpose() * at_.y - at_.s; }
  Vector PrimalResidual() const { return a_ * at_.x - b_; }

  /// The largest of the relative residuals and the relative gap.
  double Error() const {
    const Vector slope = q_ * at_.x;
    const Real objective = at_.x.dot(slope) / 2 + c_.dot(at_.x);
    const Real dual = Largest(DualResidual()) / (1 + Largest(c_) + Largest(slope));
    return static_cast<double>(
        std::max({at_.x.dot(at_.s) / (1 + std::abs(objective)), dual, Largest(PrimalResidual())}));
  }

  /// One predictor and corrector step; returns false on numerical breakdown.
  bool Step() {
    scale_ = (at_.x.array() / at_.s.array()).sqrt().matrix();
    Factorize();
    const Vector products = (at_.x.array() * at_.s.array()).matrix();
    const Real mu = products.mean();
    const Iterate affine = Direction(products);
    const Real affine_mu = (at_.x + MaxStep(at_.x, affine.x) * affine.x)
                               .dot(at_.s + MaxStep(at_.s, affine.s) * affine.s) /
                           static_cast<Real>(products.size());
    const Real sigma = std::pow(affine_mu / mu, Real(3));
    const Vector corrected =
        (products.array() + affine.x.array() * affine.s.array() - sigma * mu).matrix();
    const Iterate d = Direction(corrected);
    if (!d.x.allFinite() || !d.y.allFinite() || !d.s.allFinite()) return false;
    // One step length for x and s: with a quadratic term the dual residual depends on x as well.
    const Real longest = std::min(MaxStep(at_.x, d.x, 1000), MaxStep(at_.s, d.s, 1000));
    const Real step = std::min(Real(1), Real(0.995) * longest);
    at_.x += step * d.x;
    at_.y += step * d.y;
    at_.s += step * d.s;
    return at_.x.minCoeff() > 0 && at_.s.minCoeff() > 0;
  }

  static Real MaxStep(const Vector& at, const Vector& direction, Real limit = 1) {
    Real step = limit;
    for (Eigen::Index k = 0; k < at.size(); ++k) {
      if (direction[k] < 0) step = std::min(step, -at[k] / direction[k]);
    }
    return step;
  }

  void Factorize() {
    const auto n = c_.size();
    const auto rows = b_.size();
    system_.setZero(n + rows, n + rows);
    system_.topLeftCorner(n, n) = scale_.asDiagonal() * q_ * scale_.asDiagonal();
    system_.topLeftCorner(n, n) += Matrix::Identity(n, n);
    system_.bottomLeftCorner(rows, n) = a_ * scale_.asDiagonal();
    system_.topRightCorner(n, rows) = system_.bottomLeftCorner(rows, n).transpose();
    factor_.compute(system_);
  }

  /// The solution of the scaled system, with iterative refinement.
  Vector SolveSystem(const Vector& right) const {
    Vector solution = Vector::Zero(right.size());
    for (int round = 0; round < 3; ++round) solution += factor_.solve(right - system_ * solution);
    return solution;
  }

  /// The Newton direction towards Ax = b, Qx + c = Aᵀy + s, and products x_k s_k smaller by
  /// products_k.
  Iterate Direction(const Vector& products) const {
    const Vector over_x = (products.array() / at_.x.array()).matrix();
    Vector right(c_.size() + b_.size());
    right << (scale_.array() * (-DualResidual() - over_x).array()).matrix(), -PrimalResidual();
    const Vector solution = SolveSystem(right);
    Iterate d;
    d.x = (scale_.array() * solution.head(c_.size()).array()).matrix();
    d.y = -solution.tail(b_.size());
    d.s = -over_x - (at_.s.array() / at_.x.array() * d.x.array()).matrix();
    return d;
  }

  const Matrix q_;
  const Vector c_;
  const Matrix a_;
  const Vector b_;
  Iterate at_;
  double error_ = kInfinity;
  Vector scale_;
  Matrix system_;
  Eigen::PartialPivLU<Matrix> factor_;
};

/// Requires linearly independent rows of A.
QpResult SolveFullRank(const MatrixXd& q, const VectorXd& c, const MatrixXd& a, const VectorXd& b) {
  constexpr double kPrecision = 1e-10;
  InteriorPoint<double> fast(q, c, a, b);
  const QpResult first = fast.Run();
  if (fast.error() <= kPrecision) return first;
  // Large quadratic terms (small λ or ρ) need more digits than a double has.
  InteriorPoint<long double> precise(q, c, a, b);
  const QpResult second = precise.Run();
  if (precise.error() <= kPrecision) return second;
  std::ostringstream message;
  message << "a quadratic program was solved to " << precise.error() << " only";
  throw QpFailure(message.str());
}

}  // namespace

QpResult SolveQp(const MatrixXd& q, const VectorXd& c, const MatrixXd& a, const VectorXd& b) {
  SLACKLINE_CHECK(
      q.rows() == c.size() && q.cols() == c.size() && a.cols() == c.size() && a.rows() == b.size(),
      "the sizes of a quadratic program do not fit each other");
  if (a.rows() == 0) return SolveFullRank(q, c, a, b);
  // Redundant rows would make the Schur complement singular: keep a basis of the rows.
  const Eigen::ColPivHouseholderQR<MatrixXd> rows(a.transpose());
  const Eigen::Index rank = rows.rank();
  MatrixXd basis(rank, a.cols());
  VectorXd right(rank);
  for (Eigen::Index r = 0; r < rank; ++r) {
    basis.row(r) = a.row(rows.colsPermutation().indices()[r]);
    right[r] = b[rows.colsPermutation().indices()[r]];
  }
  const VectorXd some = basis.colPivHouseholderQr().solve(right);
  SLACKLINE_CHECK(
      (a * some - b).lpNorm<Eigen::Infinity>() <= 1e-9 * (1 + b.lpNorm<Eigen::Infinity>()),
      "the constraints of a quadratic program contradict each other");
  return SolveFullRank(q, c, basis, right);
}

}  // namespace slackline::internal::test
