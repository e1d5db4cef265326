// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_trial.h>

#include <algorithm>
#include <span>

#include <slackline/apps/matching/matching_predict.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// These examples, with their edges under the numbers that they have.
MatchingData Select(const MatchingData& data, std::span<const Index> examples) {
  MatchingData part;
  part.source = data.source;
  part.rows = data.rows;
  part.num_features = data.num_features;
  part.edges = data.edges;
  for (const Index m : examples) part.examples.push_back(data.examples[m]);
  return part;
}

bool HasKnownLabel(const MatchingData& data) {
  return std::any_of(
      data.examples.begin(), data.examples.end(), [&](const MatchingExample& example) {
        const auto edges = data.edges_of(example);
        return std::any_of(edges.begin(), edges.end(),
                           [](const MatchingEdge& edge) { return edge.label != kUnlabelled; });
      });
}

}  // namespace

MatchingTrial::MatchingTrial(const MatchingData& data, const MatchingModel& model, LossScale loss,
                             const TrainOptions& options,
                             const std::vector<std::vector<Index>>& folds, std::size_t number)
    : PathTrial(options), model_(model), held_out_(Select(data, folds[number])) {
  const std::string name = FoldName(number, folds.size());
  if (!HasKnownLabel(held_out_))
    throw DataError(data.source, 0, name + " has no known label to compare predictions with");
  std::vector<Index> others = ExamplesOutside(folds, number);
  std::sort(others.begin(), others.end());
  const MatchingData training = Select(data, others);
  if (!HasKnownLabel(training))
    throw DataError(data.source, 0,
                    name + " has all labels that are known: nothing is left to train on");
  SetProblem(Problem(MakeTrainingSet(model_.MakeTrainingData(training), model_.Loss(loss)), 1));
}

std::vector<double> MatchingTrial::Figures(std::span<const double> weights) {
  model_.set_weights({weights.begin(), weights.end()});
  const MatchingPredictions predictions =
      PredictMatchings(model_, held_out_, static_cast<int>(options().threads));
  const MatchingMetrics metrics = EvaluateMatchings(held_out_, predictions.labels, model_.costs());
  return {metrics.f1, metrics.precision, metrics.recall, metrics.exact, metrics.mean_loss};
}

}  // namespace slackline::internal
