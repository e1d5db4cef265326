// SPDX-License-Identifier: BSD-3-Clause
//
// The certified primal of learners that keep active sets (active_set.h), by bounds of the oracle
// that they train with.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <slackline/learning/oracle/corner_oracle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

/// Work space for one thread.
struct HingeScratch {
  std::vector<double> slot_scores;
  WarmStart warm;
  SparseCorner corner;
};

/// Certified upper bound on max_s H_m(s; weights) ≥ 0, by an oracle that has been shown these
/// weights (Refresh). given: a set whose corner 0 is the ground truth. doublings: go on with
/// CornerOracle::Search. Throws as CheckedHinge (oracle_check.h).
double CertifiedHinge(const Problem& problem, Index m, std::span<const double> weights,
                      const ActiveSet& given, const WarmStart& warm, std::optional<Index> doublings,
                      CornerOracle* oracle, HingeScratch* scratch);

/// What a thread needs for CertifiedHinge.
struct HingeChecker {
  CornerOracle oracle;
  HingeScratch scratch;
};

/// Makes the checkers that are missing for so many threads, and shows the weights to all of these.
/// Throws as CornerOracle does.
void PrepareCheckers(const Problem& problem, SolverKind kind, Rescaling rescaling,
                     CornerOracle::Searches searches, std::span<const double> weights, int threads,
                     std::vector<std::unique_ptr<HingeChecker>>* checkers);

/// One oracle for every thread.
class CornerEvaluator {
 public:
  /// Throws as CornerOracle does.
  CornerEvaluator(const Problem& problem, SolverKind kind, Rescaling rescaling);

  /// (1/M) Σ_m of certified bounds on max H_m(·; weights). sets, warm: one per example. Does not
  /// depend on `threads`.
  double Hinge(std::span<const double> weights, std::span<const ActiveSet> sets,
               std::span<const WarmStart> warm, int threads);

 private:
  Problem problem_;
  SolverKind kind_;
  Rescaling rescaling_;
  std::vector<std::unique_ptr<HingeChecker>> checkers_;
};

}  // namespace slackline::internal
