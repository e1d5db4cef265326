// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/marginalization.h>

#include <array>
#include <stdexcept>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/factors/joint_states.h>

#include "tests/support/tolerances.h"

namespace slackline::internal::test {
namespace {

Eigen::SparseMatrix<double> MatrixOf(const Marginalization& a) {
  Eigen::SparseMatrix<double> matrix(a.rows(), a.cols());
  for (Index joint = 0; joint < a.cols(); ++joint) matrix.insert(a.StateOf(joint), joint) = 1.0;
  matrix.makeCompressed();
  return matrix;
}

TEST_CASE("the marginalisation matrices of a 2 × 3 table are right") {
  const std::array<Index, 2> cardinalities = {2, 3};
  const std::array<double, 6> table = {1, 2, 3, 40, 50, 60};
  std::array<double, 2> first;
  Marginalization(cardinalities, 0).Apply(table, first);
  CHECK(first == std::array<double, 2>{6, 150});
  std::array<double, 3> second;
  Marginalization(cardinalities, 1).Apply(table, second);
  CHECK(second == std::array<double, 3>{41, 52, 63});
  std::array<double, 6> back = table;
  Marginalization(cardinalities, 1).ApplyTransposeAdd(std::array<double, 3>{1, 2, 3}, 10.0, back);
  CHECK(back == std::array<double, 6>{11, 22, 33, 50, 70, 90});
  const Eigen::MatrixXd dense = Eigen::MatrixXd(MatrixOf(Marginalization(cardinalities, 1)));
  Eigen::MatrixXd expected(3, 6);
  expected << 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1;
  CHECK(dense == expected);
}

TEST_CASE("apply, transpose and sparse matrix are one map, for every axis of tables of any order") {
  Random random(2);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<Index> cardinalities(1 + random.Below(4));
    for (Index& states : cardinalities) states = 1 + static_cast<Index>(random.Below(4));
    std::vector<Index> states(cardinalities.size());
    for (std::size_t axis = 0; axis < cardinalities.size(); ++axis) {
      const Marginalization a(cardinalities, static_cast<Index>(axis));
      REQUIRE(a.rows() == cardinalities[axis]);
      REQUIRE(a.cols() == NumJointStates(cardinalities));
      const Eigen::VectorXd mu =
          Eigen::VectorXd::NullaryExpr(a.cols(), [&random] { return random.Normal(); });
      const Eigen::VectorXd m =
          Eigen::VectorXd::NullaryExpr(a.rows(), [&random] { return random.Normal(); });
      Eigen::VectorXd applied(a.rows());
      Eigen::VectorXd transposed = mu;
      a.Apply(std::span(mu.data(), mu.size()), std::span(applied.data(), m.size()));
      a.ApplyTransposeAdd(std::span(m.data(), m.size()), -0.5,
                          std::span(transposed.data(), mu.size()));
      const Eigen::SparseMatrix<double> matrix = MatrixOf(a);
      CHECK(matrix.nonZeros() == a.cols());
      CHECK((matrix * mu - applied).norm() < kExact * static_cast<double>(a.cols()));
      CHECK((mu - 0.5 * (matrix.transpose() * m) - transposed).norm() <
            kExact * static_cast<double>(a.cols()));
      for (Index joint = 0; joint < a.cols(); ++joint) {
        SplitJoint(cardinalities, joint, states);
        CHECK(a.StateOf(joint) == states[axis]);
        CHECK(matrix.coeff(states[axis], joint) == 1);
      }
    }
  }
}

TEST_CASE("axes and sizes that do not fit are refused") {
  const std::array<Index, 2> cardinalities = {2, 3};
  CHECK_THROWS_AS(Marginalization(cardinalities, 2), std::invalid_argument);
  CHECK_THROWS_AS(Marginalization(cardinalities, -1), std::invalid_argument);
  CHECK_THROWS_AS(Marginalization(std::array<Index, 1>{0}, 0), std::invalid_argument);
  std::vector<double> two(2);
  std::vector<double> six(6);
  const Marginalization a(cardinalities, 1);
  CHECK_THROWS_AS(a.Apply(six, two), std::invalid_argument);
  CHECK_THROWS_AS(a.ApplyTransposeAdd(two, 1.0, six), std::invalid_argument);
}

}  // namespace
}  // namespace slackline::internal::test
