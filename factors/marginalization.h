// SPDX-License-Identifier: BSD-3-Clause
//
// The marginalization matrices A_ci (docs/notation.md, section 2): row s sums the joint states of
// factor c in which variable i (one axis of the table) has state s. The matrix is never formed:
// products are strided loops over the table, and StateOf gives the row of the single 1 in each
// column.
#pragma once

#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

class Marginalization {
 public:
  /// The matrix of axis number `axis` of a table with these cardinalities. Throws
  /// std::invalid_argument when the axis does not exist or a cardinality is less than 1.
  Marginalization(std::span<const Index> cardinalities, Index axis);

  /// K_i, the number of states of the variable.
  Index rows() const { return states_; }
  /// Number of joint states of the factor.
  Index cols() const { return outer_ * states_ * inner_; }

  /// out = A · table. Requires table.size() = cols(), out.size() = rows(). No allocation.
  void Apply(std::span<const double> table, std::span<double> out) const;

  /// table += scale · Aᵀ · message. Requires message.size() = rows(), table.size() = cols(). No
  /// allocation.
  void ApplyTransposeAdd(std::span<const double> message, double scale,
                         std::span<double> table) const;

  /// Row of the single 1 in a column, which is the state of the variable in that joint state.
  Index StateOf(Index joint) const { return joint / inner_ % states_; }

 private:
  // Entry (o, s, r) of the table lies at (o · states + s) · inner + r.
  Index outer_ = 1;
  Index states_ = 1;
  Index inner_ = 1;
};

}  // namespace slackline::internal
