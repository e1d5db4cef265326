// SPDX-License-Identifier: BSD-3-Clause
//
// Bipartite matchings as a task (apps/tasks/task.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/matching/matching_predict.h>
#include <slackline/apps/tasks/task.h>

namespace slackline::internal {

struct MatchingTask {
  using Data = MatchingData;
  using Model = MatchingModel;
  using Predictions = MatchingPredictions;
  using Metrics = MatchingMetrics;

  static constexpr std::string_view kNoun = "example";
  static constexpr std::string_view kVariable = "edge";
  static constexpr std::string_view kNothingKnown = "no edge has a known label";
  static constexpr const char* kAll = "all examples";
  static constexpr const char* kKernels = "matchings";
  static constexpr std::string_view kRecorded[] = {
      "left-capacity", "right-capacity", "precision-cost", "recall-cost", "loss", "scale"};
  static constexpr std::string_view kOutputs = "pairs|edges|scores";

  static std::span<const TaskOption> Options();
  static std::pair<MatchingData, MatchingModel> Load(const TaskRequest& request);
  static MatchingModel MakeModel(const TaskOptions& options, FeatureDictionary dictionary);
  static std::function<std::string(Index)> FeatureName(const MatchingModel& model,
                                                       const MatchingData& data);
  static Fingerprint Context(const MatchingModel& model);
  static TrainingSet MakeTraining(const MatchingModel& model, const MatchingData& data,
                                  const TaskOptions& options, const std::vector<Index>* examples);
  static void SetTrained(MatchingModel* model, const Problem& problem, const TrainOptions& train,
                         std::span<const double> weights);
  /// The data with these examples only; edges keep their numbers.
  static MatchingData Select(const MatchingData& data, const std::vector<Index>& examples);
  static bool HasKnownLabel(const MatchingData& data, Index example);
  static MatchingMetrics Measure(const MatchingModel& model, const MatchingData& data,
                                 const std::vector<Index>& examples, int threads);
  static std::span<const TaskFigure<MatchingMetrics>> Figures();

  // Predictions.
  static MatchingData ReadFor(const MatchingModel& model, const std::string& path, Ranks& ranks) {
    return ReadMatchingsFor(model, path, ranks);
  }
  static MatchingPredictions Predict(const MatchingModel& model, const MatchingData& data,
                                     int threads) {
    return PredictMatchings(model, data, threads);
  }
  static MatchingMetrics Evaluate(const MatchingModel& model, const MatchingData& data,
                                  const MatchingPredictions& predictions, Ranks& ranks) {
    return EvaluateMatchings(data, predictions.labels, model.costs(), ranks);
  }

  // Texts.
  static std::string LossText(const TaskOptions& options) {
    return options.Text("loss") + " with costs";
  }
  static std::vector<double> Costs(const MatchingData& /*data*/) { return {}; }
  static std::vector<std::string> Notes(const MatchingData& data);
  static std::string DataLine(const TaskInput<MatchingTask>& input, std::int64_t kept,
                              Ranks& ranks);
  static std::string ModelText(const TaskOptions& options);
  static TaskEntries StartEntries(const TaskInput<MatchingTask>& input,
                                  const TrainingSet& training);
  static void Write(const MatchingData& data, Index example, const MatchingPredictions& predictions,
                    std::size_t output, bool before, std::string* text);
  static std::string Summary(const MatchingData& data, const MatchingPredictions& predictions,
                             Ranks& ranks);
  static std::int64_t NumKnown(const MatchingMetrics& metrics) { return metrics.edges; }
  static TaskEntries MetricEntries(const MatchingMetrics& metrics, const MatchingData& data);
  static std::string MetricsText(const MatchingMetrics& metrics, const MatchingModel& model);
};

}  // namespace slackline::internal
