// SPDX-License-Identifier: BSD-3-Clause
//
// All ways to train on a problem that the options have words for, and those that have to be
// refused: for tests that try everything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal::test {

template <class Range>
auto Pick(Random& random, const Range& range) {
  return range[random.Below(std::size(range))];
}

template <class Test>
bool AllGraphs(const Problem& problem, const Test& test) {
  const auto& structures = problem.data().structures();
  return std::all_of(structures.begin(), structures.end(),
                     [&](const auto& structure) { return test(structure->graph()); });
}

/// Every learner that has a name, auto among them. A new one is in it as soon as it has a name.
std::vector<LearnerKind> AllLearners();

/// Whether kernels have something to compare.
bool HasInputs(const Problem& problem);

/// The options that differ from their defaults, as on the command line.
std::string Describe(const TrainOptions& options);

/// Which objective the figures of such a run are about, in words; empty for that of problem.h. Soft
/// constraints and smoothed messages report the relaxed problem beside their own.
std::string ObjectiveOf(const TrainOptions& options);

/// Every learner that applies with every kind of step, bcfw with every oracle that applies; the
/// rest is drawn. Runs are of at most 150 passes. Options of other objectives (l1, smoothing) are
/// the same in all ways of one call, so that their bounds can be compared.
std::vector<TrainOptions> AllWays(Random& random, const Problem& problem);

/// What does not apply to the problem, or to any, and has to be refused by MakeLearner.
std::vector<TrainOptions> RefusedWays(Random& random, const Problem& problem);

}  // namespace slackline::internal::test
