// SPDX-License-Identifier: BSD-3-Clause
//
// Classification as a task (apps/tasks/task.h). Training solves
//   λ/2 ‖w‖² + (1/M) Σ_m a_m max_y [Δ(y_m, y) + w·φ(x_m, y) − w·φ(x_m, y_m)]
// with a weight a_m > 0 of each example, by default 1. Features are linear in x, so a_m multiplies
// the example's input (with its constant) and its losses, and the problem is an ordinary one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/multiclass/multiclass_data.h>
#include <slackline/apps/multiclass/multiclass_metrics.h>
#include <slackline/apps/multiclass/multiclass_model.h>
#include <slackline/apps/tasks/task.h>

namespace slackline::internal {

struct MulticlassTask {
  using Data = MulticlassData;
  using Model = MulticlassModel;
  using Metrics = MulticlassMetrics;

  static constexpr std::string_view kNoun = "example";
  static constexpr std::string_view kVariable = "example";
  static constexpr std::string_view kNothingKnown = "no example has a known class";
  static constexpr const char* kAll = "all data";
  static constexpr const char* kKernels = nullptr;
  static constexpr std::string_view kRecorded[] = {"bias",         "scale",          "costs",
                                                   "label-column", "ignore-columns", "separator",
                                                   "categories",   "decimal-comma"};

  static std::span<const TaskOption> Options();
  static std::pair<MulticlassData, MulticlassModel> Load(const TaskRequest& request);
  /// A model for these data, with all weights zero. constant: whether it has one.
  static MulticlassModel MakeModel(const MulticlassData& data, bool constant);
  static std::function<std::string(Index)> FeatureName(const MulticlassModel& model,
                                                       const MulticlassData& data);
  static Fingerprint Context(const MulticlassModel& model);
  /// Throws std::invalid_argument unless there is a finite weight > 0 for every example, or none;
  /// and on weights together with a kernel, or with only some of the examples.
  static TrainingSet MakeTraining(const MulticlassModel& model, const MulticlassData& data,
                                  const TaskOptions& options, const std::vector<Index>* examples);
  static void SetTrained(MulticlassModel* model, const Problem& problem, const TrainOptions& train,
                         std::span<const double> weights) {
    model->SetTrained(problem, train, weights);
  }
  static bool HasKnownLabel(const MulticlassData& data, Index example) {
    return data.labels[example] != kUnlabelled;
  }
  static MulticlassMetrics Measure(const MulticlassModel& model, const MulticlassData& data,
                                   const std::vector<Index>& examples, int threads);
  static std::span<const TaskFigure<MulticlassMetrics>> Figures();

  // Texts.
  static std::string LossText(const TaskOptions& options) {
    return options.Given("costs") ? "costs" : "0/1";
  }
  static std::vector<double> Costs(const MulticlassData& data) { return data.costs; }
  static std::vector<std::string> Notes(const MulticlassData& data) { return data.notes; }
  static std::string DataLine(const TaskInput<MulticlassTask>& input, std::int64_t kept,
                              Ranks& ranks);
  static std::string ModelText(const TaskOptions& options) {
    return options.Given("costs") ? "costs of " + options.Text("costs") : "loss 0/1";
  }
  static TaskEntries StartEntries(const TaskInput<MulticlassTask>& input,
                                  const TrainingSet& training);
};

}  // namespace slackline::internal
