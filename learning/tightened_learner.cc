// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/tightened_learner.h>

#include <string>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/derived_structure.h>
#include <slackline/learning/mapped_learner.h>

namespace slackline::internal {
namespace {

/// Joint states of a larger factor, at most: four variables with 8 states, or three with 16.
constexpr Index kMostStatesOfCycle = 4096;

}  // namespace

Problem Tightened(const Problem& problem) {
  const Dataset& data = problem.data();
  std::vector<std::shared_ptr<const Structure>> structures;
  bool joined = false;
  for (const std::shared_ptr<const Structure>& structure : data.structures()) {
    structures.push_back(JoinShortCycles(structure, kMostStatesOfCycle));
    joined = joined || structures.back() != structure;
  }
  if (!joined) {
    throw DataError(
        "there is nothing to tighten: no pairs without potentials and inputs of their own form a "
        "cycle of three or four variables with at most " +
        std::to_string(kMostStatesOfCycle) +
        " joint states; leave out --tighten, and use --certify relaxed in place of tightened");
  }
  return {WithStructures(problem.training(), structures, data.shared_layout(), data.rows()),
          problem.lambda()};
}

std::unique_ptr<Learner> MakeTightenedLearner(const Problem& problem, const TrainOptions& options) {
  TrainOptions of_tightened = options;
  of_tightened.tighten = false;
  return std::make_unique<MappedLearner>(Tightened(problem), of_tightened);
}

}  // namespace slackline::internal
