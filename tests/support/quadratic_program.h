// SPDX-License-Identifier: BSD-3-Clause
//
// Dense convex quadratic programs of a few hundred columns, solved to nearly full precision.
#pragma once

#include <stdexcept>

#include <Eigen/Core>

namespace slackline::internal::test {

/// The requested precision was not reached: the numbers of the program differ too much in
/// magnitude.
class QpFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct QpResult {
  Eigen::VectorXd x;
  double objective = 0;   ///< at x; an upper bound on the minimum, up to 1e-10
  double dual_bound = 0;  ///< a lower bound on the minimum, up to 1e-10
  int iterations = 0;
};

/// Minimises ½ xᵀQx + cᵀx over Ax = b, x ≥ 0. Requires a symmetric positive semidefinite Q (zero: a
/// linear program), an existing minimum, and some x > 0 with Ax = b. Rows of A may be redundant.
/// Throws std::invalid_argument where the constraints contradict each other, and QpFailure when a
/// precision of 1e-10 (relative to 1 + |objective|) is not reached.
QpResult SolveQp(const Eigen::MatrixXd& q, const Eigen::VectorXd& c, const Eigen::MatrixXd& a,
                 const Eigen::VectorXd& b);

}  // namespace slackline::internal::test
