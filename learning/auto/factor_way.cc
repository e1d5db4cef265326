// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/auto/factor_way.h>

#include <algorithm>
#include <optional>
#include <vector>

#include <slackline/learning/auto/tuned.h>
#include <slackline/learning/bcfw.h>
#include <slackline/learning/oracle/multi_label_form.h>
#include <slackline/learning/support_table.h>

namespace slackline::internal {
namespace {

/// Whether no two parts of an example share weights, and all parts are binary variables or pairs of
/// them.
bool PartsOwnTheirWeights(const Structure& structure) {
  const std::optional<MultiLabelForm> form = MultiLabelForm::Make(structure);
  if (!form) return false;
  std::vector<Index> weights(form->pair_weight().begin(), form->pair_weight().end());
  std::sort(weights.begin(), weights.end());
  std::vector<Index> blocks;
  for (const Slot& slot : structure.slots()) blocks.push_back(slot.block);
  std::sort(blocks.begin(), blocks.end());
  return std::adjacent_find(weights.begin(), weights.end()) == weights.end() &&
         std::adjacent_find(blocks.begin(), blocks.end()) == blocks.end();
}

}  // namespace

TrainOptions FactorOptions(const TrainOptions& options) {
  TrainOptions factors = options;
  factors.learner = LearnerKind::kAugmentedLagrangian;
  factors.step = StepKind::kPairwise;
  factors.order = OrderKind::kExample;
  factors.own<BcfwOptions>().planes = Switch::kOff;
  return factors;
}

bool FactorsApply(const Problem& problem, const TrainOptions& options) {
  if (static_cast<double>(problem.num_weights()) < tuned::kWeightsPerExample * problem.size())
    return false;
  const auto& structures = problem.data().structures();
  return options.oracle == SolverKind::kAuto && !UsesKernel(options) && !RescalesSlack(options) &&
         problem.num_parts() <= tuned::kMostParts &&
         std::all_of(structures.begin(), structures.end(),
                     [](const auto& structure) { return PartsOwnTheirWeights(*structure); }) &&
         Unsupported(problem, FactorOptions(options)).empty();
}

double PassOfFactors(const Problem& problem) {
  double inputs = 0;
  for (Index m = 0; m < problem.size(); ++m) {
    const ExampleView example = problem.data().example(m);
    for (const Slot& slot : example.structure().slots())
      inputs += static_cast<double>(example.input(slot.input).count) * slot.rows;
  }
  return tuned::kEntriesOfStep * static_cast<double>(problem.num_parts()) +
         tuned::kEntriesOfInput * inputs;
}

}  // namespace slackline::internal
