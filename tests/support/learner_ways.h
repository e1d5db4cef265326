// SPDX-License-Identifier: BSD-3-Clause
//
// All ways to train on a problem that the options can express, and those that must be refused, for
// tests that try everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
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

/// The number in this variable of the environment, if there is one.
inline std::uint64_t FromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// All registered learners, and auto.
std::vector<LearnerKind> AllLearners();

/// Whether the learner describes its state; `auto` does.
bool KeepsState(LearnerKind learner);

/// Whether the learner trains by slack rescaling on request.
bool ReadsRescaling(LearnerKind learner);

/// Whether some variable has input vectors, which kernels compare.
bool HasInputs(const Problem& problem);

/// The options that differ from their defaults, in the form of the command line.
std::string Describe(const TrainOptions& options);

/// The objective of a run's figures in words; empty for that of problem.h. Soft constraints and
/// smoothed messages report the relaxed problem beside their own objective.
std::string ObjectiveOf(const TrainOptions& options);

/// Every applicable learner with every kind of step, and bcfw with every applicable oracle; the
/// other options are drawn at random. Runs take at most 150 passes. Options that change the
/// objective (l1, smoothing) are the same in all ways of one call, so that their bounds can be
/// compared.
std::vector<TrainOptions> AllWays(Random& random, const Problem& problem);

/// Options that do not apply to the problem, or to no problem: MakeLearner must refuse them.
std::vector<TrainOptions> RefusedWays(Random& random, const Problem& problem);

}  // namespace slackline::internal::test
