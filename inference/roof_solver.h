// SPDX-License-Identifier: BSD-3-Clause
//
// The local polytope of binary pairwise graphs by roof duality (inference/roof_duality.h), as a
// MapSolver.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/inference/binary_pairs.h>
#include <slackline/inference/map_solver.h>
#include <slackline/inference/roof_duality.h>

namespace slackline::internal {

/// A solver of max θ·μ over the local polytope for graphs with binary variables and factors over
/// one or two of them (else DataError). Solutions are half-integral; `upper_bound` is the DualBound
/// of the messages that the flow gives. exact = integral and the bound is reached within 1e-7 ·
/// max(1, |value|). Uses no warm start. Solve throws as RequireFiniteScores.
std::unique_ptr<MapSolver> MakeRoofSolver(std::shared_ptr<const FactorGraph> graph);

/// Max-marginals of the relaxation: for every variable and state, the largest value of a point of
/// the local polytope with x_i = s.
///
/// One roof duality (inference/roof_duality.h) with the variable fixed is solved for every state
/// that is not in the solution. The coefficients and their sums per variable are computed once.
/// Each roof duality then costs O(n) and the pairs of the few variables that stage 1 leaves
/// undecided, not all n² pairs (docs/notebook/oracles.md).
///
/// Keeps work space: one object per thread.
class RoofMarginals {
 public:
  /// Requires IsBinaryPairwise(*graph).
  explicit RoofMarginals(std::shared_ptr<const FactorGraph> graph);

  /// out[state_offset(i) + s] = max { θ·μ | μ in the local polytope, μ_i(s) = 1 }. `out` has two
  /// entries per variable. Throws as RequireFiniteScores.
  void Compute(std::span<const double> scores, std::span<double> out);

 private:
  double Value() const { return constant_ + roof_.ValueWith(u_); }

  std::shared_ptr<const FactorGraph> graph_;
  BinaryPairs form_;
  RoofDuality roof_;
  RoofDuality::RowSums sums_;
  std::vector<double> u_, t_, fixed_;
  double constant_ = 0;  // the score of all variables at 0
};

}  // namespace slackline::internal
