// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/reduced_learner.h>

#include <algorithm>
#include <vector>

#include <slackline/core/derived_structure.h>
#include <slackline/learning/mapped_learner.h>

namespace slackline::internal {
namespace {

/// The examples without their forbidden states.
TrainingSet Reduced(const Problem& problem) {
  const TrainingSet& given = problem.training();
  const Dataset& data = given.data;
  std::vector<ReducedStructure> structures;
  for (const auto& structure : data.structures())
    structures.push_back(LeaveOutForbidden(structure));
  TrainingSet result{Dataset(data.shared_layout(), data.rows()),
                     {},
                     {0},
                     given.skipped_examples,
                     given.skipped_variables,
                     given.form};
  std::vector<Index> labels;
  std::vector<double> potentials;
  for (Index m = 0; m < data.size(); ++m) {
    const ExampleView example = data.example(m);
    const ReducedStructure& reduced = structures[data.structure_of(m)];
    labels.clear();
    for (Index i = 0; i < example.graph().num_variables(); ++i) {
      const std::vector<Index>& states = reduced.states[i];
      const auto place = std::lower_bound(states.begin(), states.end(), example.labels()[i]);
      labels.push_back(static_cast<Index>(place - states.begin()));
      for (const Index s : states)
        result.losses.push_back(given.loss(m)[example.graph().state_offset(i) + s]);
    }
    result.loss_begin.push_back(static_cast<Offset>(result.losses.size()));
    potentials.clear();
    for (const Index number : reduced.potentials)
      potentials.push_back(example.potentials()[number]);
    result.data.Add(reduced.structure, labels, data.first_input(m), potentials);
  }
  return result;
}

}  // namespace

std::unique_ptr<Learner> MakeReducedLearner(const Problem& problem, const TrainOptions& options) {
  return std::make_unique<MappedLearner>(Problem(Reduced(problem), problem.lambda(), options.ranks),
                                         options);
}

}  // namespace slackline::internal
