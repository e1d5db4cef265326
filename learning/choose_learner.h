// SPDX-License-Identifier: BSD-3-Clause
//
// `--learner auto`: which learner, blocks, oracle and steps suit a problem. Measured in
// docs/performance.md.
#pragma once

#include <string>

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct LearnerChoice {
  TrainOptions options;  ///< the given options without `auto` in learner, step and order
  std::string reason;    ///< one line: what was chosen, and why; empty when all was given
};

/// Whether there is an oracle for each whole example: no global factors, or none that are coupled
/// (inference/global_solver.h).
bool HasExampleOracles(const Dataset& data);

/// Fills in what the options leave open:
///   - global factors: bcfw with active sets where they have exact oracles over examples, al
///     elsewhere;
///   - forbidden states: bcfw with active sets, and dynamic programming where there are no cycles
///     (nothing else applies there);
///   - an option that only one family of learners has (--rho, --tau, --shrinking off: al; --oracle,
///     --average, --step away|fw, --order gap: bcfw) decides the learner;
///   - otherwise bcfw with active sets: dynamic programming where there are no cycles; roof duality
///     for binary variables with factors over at most two; message passing on large graphs with
///     cycles; GLPK on small ones. Without GLPK: al.
LearnerChoice ChooseLearner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
