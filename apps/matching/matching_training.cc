// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_training.h>

#include <string>
#include <utility>

#include <slackline/apps/training/dealt_examples.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

Problem MakeProblem(const MatchingTask& task, LossScale loss) {
  Ranks& ranks = RanksOrOne(task.ranks);
  std::optional<Dataset> dataset;
  OnAllRanks(ranks, [&] { dataset.emplace(task.model.MakeTrainingData(task.data)); });
  RequireExamples({task.data.source, "example", "no edge has a known label", dataset->size(),
                   static_cast<Index>(task.data.examples.size()) - dataset->size()},
                  ranks);
  return Problem(MakeTrainingSet(*dataset, task.model.Loss(loss)), 1, &ranks);
}

}  // namespace

MatchingTask MakeMatchingTask(MatchingData data, FeatureDictionary dictionary,
                              MatchingCapacities capacities, MatchingCosts costs,
                              std::optional<ScaleKind> scale, Ranks* ranks) {
  MatchingModel model(std::move(dictionary), capacities, costs);
  const auto name = [&model](Index feature) {
    return std::string(model.dictionary().name(feature));
  };
  ScaledInputs scaled =
      ScaleForTraining(scale, {data.source, data.rows, data.num_features, name}, ranks);
  data.rows = scaled.rows;
  model.set_scaling(scaled.scaling);
  return {std::move(data), std::move(model), std::move(scaled), ranks};
}

MatchingTraining::MatchingTraining(MatchingTask* task, LossScale loss, RecordTexts texts)
    : TrainTask(task->data.source, std::move(texts)),
      task_(*task),
      problem_(MakeProblem(*task, loss)) {}

Fingerprint MatchingTraining::Context() const {
  return {{"names of the features", HashOfNames({task_.model.dictionary().Text()})}};
}

void MatchingTraining::SetWeights(const TrainOptions& options, const std::vector<double>& weights) {
  static_cast<void>(options);
  task_.model.set_weights(weights);
}

}  // namespace slackline::internal
