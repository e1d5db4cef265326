// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/quadratic_program.h"

#include <cmath>
#include <stdexcept>
#include <utility>

#include <doctest/doctest.h>

#include <slackline/core/random.h>

#include "tests/support/tolerances.h"

namespace slackline::internal::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("a quadratic program without binding bounds is solved") {
  // min ½(x² + 2y²) − x − y over x + y = 1: x = 2/3, y = 1/3.
  MatrixXd q = MatrixXd::Zero(2, 2);
  q.diagonal() << 1, 2;
  const QpResult result =
      SolveQp(q, VectorXd::Constant(2, -1), MatrixXd::Ones(1, 2), VectorXd::Ones(1));
  CHECK(Near(result.x[0], 2.0 / 3, kSolver));
  CHECK(Near(result.x[1], 1.0 / 3, kSolver));
  CHECK(Near(result.objective, -2.0 / 3, kSolver));
  CHECK(Near(result.dual_bound, -2.0 / 3, kSolver));
}

TEST_CASE("a quadratic program without equations is solved") {
  // min ½‖x − (1, −1)‖² − 1 over x ≥ 0: x = (1, 0).
  VectorXd c(2);
  c << -1, 1;
  const QpResult result = SolveQp(MatrixXd::Identity(2, 2), c, MatrixXd(0, 2), VectorXd(0));
  CHECK(std::abs(result.x[0] - 1) < kSolver);
  CHECK(std::abs(result.x[1]) < kSolver);
  CHECK(Near(result.objective, -0.5, kSolver));
}

TEST_CASE("a program with singular Q and repeated rows is solved") {
  // min ½ (x_0 + x_1 − 2)² over the simplex of three states. The minimum is on the face x_2 = 0
  // with the value ½; without the constant 2 it is −1.5.
  MatrixXd q = MatrixXd::Zero(3, 3);
  q.topLeftCorner(2, 2).setOnes();
  VectorXd c(3);
  c << -2, -2, 0;
  const QpResult result = SolveQp(q, c, MatrixXd::Ones(4, 3), VectorXd::Ones(4));
  CHECK(Near(result.objective, -1.5, kSolver));
  CHECK(std::abs(result.x[2]) < kSolver);
  CHECK(result.dual_bound <= result.objective + kSolver);
}

TEST_CASE("linear programs with a vertex, a face of optima, or one point are solved") {
  VectorXd c(3);
  c << 3, 1, 2;
  const QpResult vertex = SolveQp(MatrixXd::Zero(3, 3), c, MatrixXd::Ones(1, 3), VectorXd::Ones(1));
  CHECK(Near(vertex.objective, 1, kSolver));
  c << 1, 1, 2;
  const QpResult face = SolveQp(MatrixXd::Zero(3, 3), c, MatrixXd::Ones(1, 3), VectorXd::Ones(1));
  CHECK(Near(face.objective, 1, kSolver));
  const QpResult point =
      SolveQp(MatrixXd::Zero(1, 1), VectorXd::Ones(1), MatrixXd::Ones(1, 1), VectorXd::Ones(1));
  CHECK(Near(point.objective, 1, kSolver));
}

TEST_CASE("contradicting equations and sizes that do not fit are refused") {
  VectorXd b(2);
  b << 1, 2;
  CHECK_THROWS_AS(SolveQp(MatrixXd::Identity(2, 2), VectorXd::Zero(2), MatrixXd::Ones(2, 2), b),
                  std::invalid_argument);
  CHECK_THROWS_AS(SolveQp(MatrixXd::Identity(2, 2), VectorXd::Zero(3), MatrixXd::Ones(2, 2), b),
                  std::invalid_argument);
}

TEST_CASE("a program without a finite minimum is not reported as solved") {
  CHECK_THROWS_AS(
      SolveQp(MatrixXd::Zero(1, 1), VectorXd::Constant(1, -1), MatrixXd(0, 1), VectorXd(0)),
      std::runtime_error);
}

TEST_CASE("random programs satisfy the optimality conditions") {
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const auto n = static_cast<Eigen::Index>(3 + random.Below(20));
    const auto rank = static_cast<Eigen::Index>(random.Below(4));
    MatrixXd factor = MatrixXd::NullaryExpr(rank, n, [&random] { return random.Normal(); });
    const MatrixXd q = factor.transpose() * factor;
    const VectorXd c = VectorXd::NullaryExpr(n, [&random] { return random.Normal(); });
    MatrixXd a = MatrixXd::Ones(3, n);
    a.row(1).head(n / 2).setZero();
    a.row(2) = a.row(0) + a.row(1);
    VectorXd b(3);
    b << 2, 1, 3;
    const QpResult result = SolveQp(q, c, a, b);
    CHECK((a * result.x - b).lpNorm<Eigen::Infinity>() < kSolver);
    CHECK(result.x.minCoeff() >= 0);
    // Between two coordinates with the same column of A, moving weight must not lower the
    // objective.
    const VectorXd gradient = q * result.x + c;
    for (const auto& [first, last] :
         {std::pair<Eigen::Index, Eigen::Index>{0, n / 2}, {n / 2, n}}) {
      const double lowest = gradient.segment(first, last - first).minCoeff();
      for (Eigen::Index k = first; k < last; ++k)
        CHECK(result.x[k] * (gradient[k] - lowest) < kSolver);
    }
  }
}

}  // namespace
}  // namespace slackline::internal::test
