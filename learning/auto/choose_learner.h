// SPDX-License-Identifier: BSD-3-Clause
//
// `--learner auto`: which learner, blocks, oracle and steps suit a problem. The measurements are in
// docs/notebook/auto.md and docs/performance.md.
#pragma once

#include <string>

#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct LearnerChoice {
  /// The given options with `auto` resolved in learner, step, average, order and planes.
  TrainOptions options;
  /// One line: what was chosen, and why. Empty when the learner was given.
  std::string reason;
};

/// Whether there is an oracle for each whole example: its graph has no global factors, or global
/// factors that nothing couples (inference/global_solver.h).
bool HasExampleOracles(const Dataset& data);

/// The shards into which the examples are dealt: those of the options, where 1, the default, stands
/// for one per rank. Throws DataError on fewer shards than ranks.
Index ShardsFor(const TrainOptions& options);

/// As many shards as threads where the measurements in docs/notebook/shards.md say that these
/// shorten the training, fewer if their passes would be too short for rounds, and 1 where one chain
/// of steps is faster. Depends on the problem and the number of threads alone. Reads the lengths of
/// the inputs, but not the inputs. threads ≥ 1.
Index AutomaticShards(const Problem& problem, int threads);

/// Fills in what the options leave open:
///   - the loss 1 − F1: bcfw with active sets and dynamic programming over counts;
///   - global factors: bcfw with active sets where every example has an exact oracle, else al;
///   - forbidden states: bcfw with active sets;
///   - options of one family of learners decide the learner: --rho, --tau and --shrinking off mean
///     al; --oracle, --average, --step away, --order gap and --planes on mean bcfw;
///   - without factors: al;
///   - otherwise bcfw with active sets. Its oracle is dynamic programming on graphs without cycles,
///     roof duality for binary variables with factors over at most two;
///   - on other graphs with cycles pdhg, with labellings first (message passing, with branch and
///     bound where some graph is small enough); bcfw with that oracle where an option belongs to
///     it, or where --certify exact asks for it.
/// Throws DataError where --rho, --tau or --shrinking off meet forbidden states.
///
/// Where several ranks train together, all of them must call it, and choose the same: only learners
/// that read --shards train on ranks, in ShardsFor(options) shards. Throws DataError on fewer
/// shards than ranks, and on all learners and options that cannot train in several processes.
LearnerChoice ChooseLearner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
