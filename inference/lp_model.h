// SPDX-License-Identifier: BSD-3-Clause
//
// A linear program as plain arrays, and the interface of formulations of the local polytope: they
// state the program for given scores, and read a point and dual messages from a solution. This file
// does not depend on any LP solver.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// The status of a row or column in a simplex basis.
enum class BasisStatus : std::uint8_t { kBasic, kAtLower, kAtUpper };

/// Optimise cost · x subject to row_lower ≤ A x ≤ row_upper, column_lower ≤ x ≤ column_upper.
/// Infinite bounds are allowed.
struct LpModel {
  bool maximise = true;
  Index rows = 0;
  Index columns = 0;
  /// A as triplets, rows and columns counted from 0. `matrix_version` changes whenever A does.
  std::vector<Index> row;
  std::vector<Index> column;
  std::vector<double> coefficient;
  int matrix_version = 1;

  std::vector<double> row_lower, row_upper, column_lower, column_upper, cost;

  /// A starting basis (rows, then columns): non-singular and primal feasible.
  std::vector<BasisStatus> start;
};

/// A solution: values of the columns, dual values of the rows (cost_j − Σ_r dual_r A_rj is column
/// j's reduced cost).
struct LpSolution {
  std::vector<double> column_value;
  std::vector<double> row_dual;
};

/// One way to write the local polytope of a graph. Keeps the arrays between calls: one object per
/// thread.
class LpFormulation {
 public:
  virtual ~LpFormulation() = default;

  /// The program for these scores (finite, total_states entries), possibly scaled by a power of
  /// two. Valid until the next call. with_start: whether to fill model.start, too.
  virtual const LpModel& Update(std::span<const double> scores, bool with_start) = 0;

  /// Reads the solution of the program that the last Update made. `marginals` (total_states
  /// entries) becomes a point of the local polytope, up to rounding. `messages` (total_messages
  /// entries) become the dual variables δ.
  virtual void Read(const LpSolution& solution, std::span<const double> scores,
                    std::span<double> marginals, std::span<double> messages) const = 0;

 protected:
  /// A power of two that scales the largest |score| into [0.5, 1), because the tolerances of
  /// solvers are absolute. 1 if all scores are zero.
  static double ScaleOf(std::span<const double> scores);
};

}  // namespace slackline::internal
