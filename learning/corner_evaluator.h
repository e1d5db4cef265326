// SPDX-License-Identifier: BSD-3-Clause
//
// The certified primal of learners that keep corners (corner_set.h), by bounds of the oracle that they train with.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/learning/corner_oracle.h>
#include <slackline/learning/corner_set.h>
#include <slackline/learning/problem.h>

namespace slackline {

/// Work space for one thread.
struct HingeScratch {
  std::vector<double> slot_scores;
  WarmStart warm;
  SparseCorner corner;
};

/// Certified upper bound on max_s H_m(s; weights) ≥ 0, by an oracle that has been shown these weights (Refresh). given: a set whose corner 0 is
/// the given labelling. Throws std::logic_error when the bound lies below the score of that: then the oracle is wrong.
double CertifiedHinge(const ExampleView& example, Index m, std::span<const double> weights,
                      const CornerSet& given, const WarmStart& warm, CornerOracle* oracle,
                      HingeScratch* scratch);

/// One oracle for every thread.
class CornerEvaluator {
 public:
  /// Throws as CornerOracle does.
  CornerEvaluator(const Problem& problem, SolverKind kind, Rescaling rescaling);

  /// (1/M) Σ_m of certified bounds on max H_m(·; weights). sets, warm: one per example. Does not depend on `threads`.
  double Hinge(std::span<const double> weights, std::span<const CornerSet> sets,
               std::span<const WarmStart> warm, int threads);

 private:
  struct Checker {
    CornerOracle oracle;
    HingeScratch scratch;
  };
  Problem problem_;
  SolverKind kind_;
  Rescaling rescaling_;
  std::vector<std::unique_ptr<Checker>> checkers_;
};

}  // namespace slackline
