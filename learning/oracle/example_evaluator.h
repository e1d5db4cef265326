// SPDX-License-Identifier: BSD-3-Clause
//
// The certified primal of learners that ask an oracle over whole examples: P(w) (or G(w) where the
// oracle maximises over the local polytope) as a sum of the oracle's own upper bounds (problem.h).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/step/iterate_average.h>

namespace slackline::internal {

/// One oracle for every thread. The first is the learner's own, for its passes.
class ExampleEvaluator {
 public:
  /// Throws DataError when `kind` does not apply to one of the problem's structures. lp_tolerance:
  /// of oracle() alone (example_oracle.h); figures come from tight ones.
  ExampleEvaluator(const Problem& problem, SolverKind kind, double lp_tolerance = 0);

  ExampleOracle& oracle() { return loose_ ? *loose_ : *oracles_[0]; }
  CertifiedProblem certified() const {
    return oracles_[0]->relaxed() ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
  }

  /// λ/2 ‖w‖² + (1/M) Σ_m of certified bounds on max H_m(·; w). `warm`: one per example, which are
  /// copied and not changed, or empty. The result does not depend on `threads`. offsets: empty, or
  /// those of all examples, laid out as TrainingSet::losses (ExampleOracle::Maximise).
  double Primal(std::span<const double> weights, std::span<const WarmStart> warm, int threads,
                std::span<const double> offsets = {});

  /// Where the average of the iterates (if there is one, and of its first entries as many as there
  /// are weights) has a smaller primal than evaluation->primal, it takes the place of *weights, and
  /// its primal that of the other.
  void TryAverage(const IterateAverage& average, std::span<const double> newest,
                  std::span<const WarmStart> warm, int threads, std::vector<double>* weights,
                  Evaluation* evaluation);

  /// Maximises every example at the weights and hands its corner to `take`, on the thread that
  /// found it: `take` may write what belongs to example m. Warm starts are updated. False when
  /// `stop` ended it before all examples were done: what `take` was given is then not the same in
  /// every run.
  bool Sweep(std::span<const double> weights, std::span<WarmStart> warm, int threads,
             const StopControl& stop,
             const std::function<void(Index m, const Corner& corner)>& take);

  /// Another λ (Problem::WithLambda).
  void set_problem(const Problem& problem);

 private:
  void MakeOracles(int threads);

  Problem problem_;
  SolverKind kind_;
  std::vector<std::unique_ptr<ExampleOracle>> oracles_;
  std::unique_ptr<ExampleOracle> loose_;
};

}  // namespace slackline::internal
