// SPDX-License-Identifier: BSD-3-Clause
//
// Runs of learners on small problems whose optimum is known (dense_qp.h). Gives the drawn problems,
// their optima, the training loop and the tolerances, too.
#pragma once

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include <slackline/core/random.h>
#include <slackline/learning/train_loop.h>

#include "tests/support/dense_qp.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/option_text.h"
#include "tests/support/random_problems.h"
#include "tests/support/tolerances.h"

namespace slackline::internal::test {

/// Checks at every evaluation that the optimum lies between the dual and the primal.
class BracketObserver : public TrainObserver {
 public:
  BracketObserver(double optimum, double soft_optimum)
      : optimum_(optimum), soft_optimum_(soft_optimum) {}

  void OnCheck(const ProgressRecord& record) override {
    ++checks;
    const double room = kSolver * std::max(1.0, std::abs(optimum_));
    sound = sound && record.dual <= optimum_ + room && record.primal >= optimum_ - room &&
            record.dual <= record.primal + kExact * std::max(1.0, std::abs(record.primal));
    if (!std::isnan(soft_optimum_)) {
      sound = sound && record.soft_dual <= soft_optimum_ + room &&
              record.soft_primal >= soft_optimum_ - room;
    }
  }

  bool sound = true;
  int checks = 0;

 private:
  double optimum_;
  double soft_optimum_;
};

/// Options for training to the given gap, relative or absolute, in at most 30000 passes.
inline TrainOptions Options(LearnerKind learner, StepKind step, double gap) {
  TrainOptions options{.learner = learner, .step = step, .gap_tolerance = gap};
  options.absolute_gap = gap;  // for tiny optima: a gap relative to 1
  options.max_passes = 30000;
  return options;
}

struct Run {
  TrainSummary summary;
  bool sound = false;
};

inline Run TrainOn(const Problem& problem, const TrainOptions& options, double optimum,
                   double soft_optimum = kNone) {
  BracketObserver observer(optimum, soft_optimum);
  Run run;
  run.summary = Train(problem, options, &observer);
  run.sound = observer.sound && observer.checks > 0;
  return run;
}

/// Checks that a run came to its gap, with sound bounds.
inline void CheckConverged(const Run& run) {
  CAPTURE(run.summary.message);
  CHECK(run.sound);
  CHECK(run.summary.termination == Termination::kConverged);
}
/// And that its primal is as near to the optimum.
inline void CheckConverged(const Run& run, double optimum, double tolerance) {
  CheckConverged(run);
  CHECK(Near(run.summary.last.primal, optimum, tolerance));
}

/// Checks that two runs have the same bits.
inline void CheckSame(const TrainSummary& a, const TrainSummary& b) {
  CHECK(a.weights == b.weights);
  CHECK(a.last.primal == b.last.primal);
  CHECK(a.last.dual == b.last.dual);
  CHECK(a.last.pass == b.last.pass);
  CHECK(a.last.oracle_calls == b.last.oracle_calls);
}

/// Trains `soft` to the gap of the options with pairwise steps, where both bounds must be near the
/// optimum, and with Frank-Wolfe steps to a gap of 1e-3.
inline void CheckSoftOptimum(const Problem& problem, TrainOptions options, double optimum) {
  const double relaxed = RelaxedOptimum(problem.training(), problem.lambda());
  const Run pairwise = TrainOn(problem, options, relaxed, optimum);
  CAPTURE(pairwise.summary.message);
  CHECK(pairwise.sound);
  CHECK(pairwise.summary.termination == Termination::kConverged);
  CHECK(Near(pairwise.summary.last.soft_dual, optimum, 10 * options.gap_tolerance));
  CHECK(Near(pairwise.summary.last.soft_primal, optimum, 10 * options.gap_tolerance));

  options.step = StepKind::kFrankWolfe;
  options.gap_tolerance = options.absolute_gap = 1e-3;
  const Run frank_wolfe = TrainOn(problem, options, relaxed, optimum);
  CHECK(frank_wolfe.sound);
  CHECK(frank_wolfe.summary.termination == Termination::kConverged);
  CHECK(Near(frank_wolfe.summary.last.soft_dual, optimum, 2e-3));
}

/// Binary and multi-state variables, pairs and triples, forests and cycles, tied and own weights.
inline TrainingSet SomeProblem(Random& random, int trial) {
  if (trial % 4 == 0) return RandomMultiLabelProblem(random, 3, 4, 2, true);
  return RandomProblem(random, RandomOptions(random));
}

}  // namespace slackline::internal::test
