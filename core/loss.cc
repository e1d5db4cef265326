// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/loss.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/derived_structure.h>

namespace slackline::internal {
namespace {

void CheckLossOptions(const LossOptions& options) {
  for (const auto* weights : {&options.variable_weights, &options.given_weights}) {
    for (const double weight : *weights)
      SLACKLINE_CHECK(std::isfinite(weight) && weight >= 0,
                      "a loss weight must be finite and not negative");
  }
  SLACKLINE_CHECK(
      options.form == LossForm::kSum || (options.variable_weights.empty() &&
                                         options.given_weights.empty() && options.costs.empty()),
      "the loss 1 - F1 has no weights and no costs");
  if (options.costs.empty()) return;
  const std::size_t states = std::lround(std::sqrt(static_cast<double>(options.costs.size())));
  SLACKLINE_CHECK(states * states == options.costs.size(),
                  "the cost matrix of the loss must be square");
  for (std::size_t k = 0; k < options.costs.size(); ++k) {
    const double cost = options.costs[k];
    SLACKLINE_CHECK(std::isfinite(cost) && cost >= 0, "a cost must be finite and not negative");
    SLACKLINE_CHECK(k / states != k % states || cost == 0,
                    "the cost of the given label itself must be zero");
  }
}

double StateLoss(const LossOptions& options, Index cardinality, Index given, Index state) {
  if (state == given) return 0;
  if (options.costs.empty()) return 1;
  const std::size_t states = cardinality;
  SLACKLINE_CHECK(
      states * states == options.costs.size(),
      "the cost matrix does not fit a variable with " + std::to_string(cardinality) + " states");
  return options.costs[given * states + state];
}

/// Throws std::invalid_argument when the ground truth of an example uses forbidden states.
void CheckForbiddenStates(const ExampleView& example, Index number) {
  const Index part = FirstForbiddenPart(example.structure(), example.labels());
  const Index variables = example.graph().num_variables();
  SLACKLINE_CHECK(part < 0, "the given labels of example " + std::to_string(number) +
                                " are forbidden by the states of " +
                                (part < variables ? "variable " + std::to_string(part)
                                                  : "factor " + std::to_string(part - variables)));
}

void CheckGlobalFactors(const Structure& structure, std::span<const Index> labels, Index example) {
  const FactorGraph& graph = structure.graph();
  std::vector<Index> states;
  for (Index g = 0; g < graph.num_global_factors(); ++g) {
    const GlobalFactor& factor = *structure.globals()[g].factor;
    states.resize(graph.global_scope(g).size());
    GlobalStates(graph, g, labels, states);
    SLACKLINE_CHECK(factor.Allows(states), "global factor '" + std::string(factor.name()) +
                                               "' forbids the given labels of example " +
                                               std::to_string(example));
  }
}

}  // namespace

double SumOfLosses(const FactorGraph& graph, std::span<const double> table,
                   std::span<const Index> labels) {
  double sum = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) sum += table[graph.state_offset(i) + labels[i]];
  return sum;
}

double F1Loss(Index relevant, Index hits, Index false_alarms) {
  const Index labels = relevant + hits + false_alarms;
  return labels == 0 ? 0.0 : 1 - 2.0 * hits / labels;
}

double TrainingSet::LossOf(Index m, std::span<const Index> labels) const {
  if (form == LossForm::kF1) {
    const std::span<const Index> truth = data.example(m).labels();
    Index counts[2][2] = {{0, 0}, {0, 0}};  // truth, label
    for (std::size_t i = 0; i < labels.size(); ++i) ++counts[truth[i]][labels[i]];
    return F1Loss(counts[1][0] + counts[1][1], counts[1][1], counts[0][1]);
  }
  return SumOfLosses(data.example(m).graph(), loss(m), labels);
}

TrainingSet MakeTrainingSet(const Dataset& dataset, const LossOptions& options) {
  CheckLossOptions(options);
  TrainingSet result{Dataset(dataset.shared_layout(), dataset.rows()), {}, {0}, 0, 0, options.form};
  // An upper bound, reached when all variables are labelled. Growth by doubling would leave up to
  // half of the memory unused.
  Offset states = 0;
  for (Index m = 0; m < dataset.size(); ++m) states += dataset.example(m).graph().variable_states();
  result.losses.reserve(states);
  std::map<std::pair<Index, std::vector<bool>>, RestrictedStructure> restricted;
  std::vector<Index> labels;
  for (Index m = 0; m < dataset.size(); ++m) {
    const ExampleView example = dataset.example(m);
    const std::span<const Index> given = example.labels();
    const auto unlabelled = std::count(given.begin(), given.end(), kUnlabelled);
    if (unlabelled == static_cast<std::ptrdiff_t>(given.size())) {
      ++result.skipped_examples;
      continue;
    }
    result.skipped_variables += unlabelled;
    CheckForbiddenStates(example, m);
    std::shared_ptr<const Structure> structure = dataset.structures()[dataset.structure_of(m)];
    const std::vector<Index>* kept = nullptr;
    labels.assign(given.begin(), given.end());
    if (unlabelled > 0) {
      std::vector<bool> keep(given.size());
      for (std::size_t i = 0; i < given.size(); ++i) keep[i] = given[i] != kUnlabelled;
      const auto key = std::make_pair(dataset.structure_of(m), keep);
      auto found = restricted.find(key);
      if (found == restricted.end())
        found = restricted.emplace(key, Restrict(*structure, keep)).first;
      structure = found->second.structure;
      kept = &found->second.variables;
      std::erase(labels, kUnlabelled);
    }
    CheckGlobalFactors(*structure, labels, m);
    // A restricted structure may need fewer potentials than the example has; those it needs keep
    // their numbers.
    result.data.Add(structure, labels, dataset.first_input(m),
                    example.potentials().first(structure->num_potentials()));

    const bool mean = options.scale == LossScale::kMean && options.form == LossForm::kSum;
    const double scale = mean ? 1.0 / static_cast<double>(labels.size()) : 1.0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::size_t original = kept == nullptr ? i : (*kept)[i];
      double weight = scale;
      if (!options.variable_weights.empty()) {
        SLACKLINE_CHECK(original < options.variable_weights.size(),
                        "there are fewer loss weights than variables");
        weight *= options.variable_weights[original];
      }
      const Index cardinality = structure->graph().cardinality(static_cast<Index>(i));
      SLACKLINE_CHECK(options.form == LossForm::kSum || cardinality == 2,
                      "the loss 1 - F1 needs binary variables");
      if (!options.given_weights.empty()) {
        const std::size_t at = original * cardinality + labels[i];
        SLACKLINE_CHECK(at < options.given_weights.size(),
                        "there are fewer loss weights than states of variables");
        weight *= options.given_weights[at];
      }
      for (Index s = 0; s < cardinality; ++s) {
        result.losses.push_back(weight * StateLoss(options, cardinality, labels[i], s));
      }
    }
    result.loss_begin.push_back(static_cast<Offset>(result.losses.size()));
  }
  return result;
}

TrainingSet WithStructures(const TrainingSet& training,
                           const std::vector<std::shared_ptr<const Structure>>& structures,
                           std::shared_ptr<const WeightLayout> layout,
                           std::shared_ptr<const FeatureRows> rows) {
  TrainingSet result{Dataset(std::move(layout), std::move(rows)),
                     training.losses,
                     training.loss_begin,
                     training.skipped_examples,
                     training.skipped_variables,
                     training.form};
  const Dataset& data = training.data;
  for (Index m = 0; m < data.size(); ++m) {
    const ExampleView example = data.example(m);
    result.data.Add(structures[data.structure_of(m)], example.labels(), data.first_input(m),
                    example.potentials());
  }
  return result;
}

}  // namespace slackline::internal
