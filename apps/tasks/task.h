// SPDX-License-Identifier: BSD-3-Clause
//
// A task is one application: what its examples are, and how its model is made, trained and judged.
// Each is described by a type with static members (apps/matching/matching_task.h is one):
//
//   Data, Model, Predictions, Metrics
//                        its types. Data has the members source, rows, num_features and
//                        num_examples(); Model those of apps/matching/matching_model.h that this
//                        file uses
//   kNoun, kVariable     what users call an example and a variable: "example", "edge"
//   kNothingKnown        "no edge has a known label"
//   Options()            its options (task_options.h), --loss and --scale among them
//   Read(path, dictionary, made, ranks, shards)
//                        examples: for a dictionary, or with a new one in *made
//   MakeModel(options, dictionary)
//   Context(model)       what must match in a resumed run besides problem and options
//   MakeTrainingData(model, data), Loss(model, options)
//   Select(data, examples), HasKnownLabel(data, example)
//   Predict(model, data, threads), Evaluate(model, data, predictions, ranks)
//   Figures()            the metrics by which λ can be chosen
//
// From the description follow the training and the cross-validation below, and the commands of
// apps/tasks/commands/cmd_task.h, which lists what else it needs for texts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/common/cross_validation.h>
#include <slackline/apps/common/feature_dictionary.h>
#include <slackline/apps/tasks/task_options.h>
#include <slackline/apps/training/dealt_examples.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// A metric by which λ can be chosen.
template <class Metrics>
struct TaskFigure {
  FigureName name;
  double Metrics::*value;
};

/// What a model is trained on. The scaled rows replace those of the data.
template <class Task>
struct TaskInput {
  TaskOptions options;
  typename Task::Data data;
  typename Task::Model model;
  ScaledInputs scaled;
  Ranks* ranks = nullptr;  ///< as given to MakeTaskInput
};

/// Makes the model for the data, whose features have the names of the dictionary, and scales the
/// features. Throws what Task::MakeModel and ScaleForTraining throw. ranks: the processes that
/// train together, each with its own examples (ExactRanks of the training options), which all call
/// it; null: this process alone.
template <class Task>
TaskInput<Task> MakeTaskInput(TaskOptions options, typename Task::Data data,
                              FeatureDictionary dictionary, Ranks* ranks = nullptr) {
  typename Task::Model model = Task::MakeModel(options, std::move(dictionary));
  const auto name = [&model](Index feature) {
    return std::string(model.dictionary().name(feature));
  };
  ScaledInputs scaled =
      ScaleForTraining(options.Scale(), {data.source, data.rows, data.num_features, name}, ranks);
  data.rows = scaled.rows;
  model.set_scaling(scaled.scaling);
  return {std::move(options), std::move(data), std::move(model), std::move(scaled), ranks};
}

/// The training of a model on all the data.
template <class Task>
class TaskTraining final : public TrainTask {
 public:
  /// The input must outlive this object. Throws DataError when no label is known, with several
  /// ranks when some example has no known label.
  explicit TaskTraining(TaskInput<Task>* input)
      : TrainTask(input->data.source, TextsOf(input->options)),
        input_(*input),
        problem_(MakeProblem(*input)) {}

  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return Task::kVariable; }
  std::vector<std::string> DataLines() const override {
    Ranks& ranks = RanksOrOne(input_.ranks);
    return {Task::DataLine(input_, ranks.SumOf(problem_.size()), ranks), input_.scaled.line};
  }
  std::string ModelText() const override { return Task::ModelText(input_.options); }
  TaskEntries StartEntries() const override { return Task::StartEntries(input_); }
  std::vector<std::string> Warnings() const override { return input_.scaled.warnings; }
  Fingerprint Context() const override { return Task::Context(input_.model); }
  TrainingRecord* record() override { return &input_.model.record; }
  void SetWeights(const TrainOptions& /*options*/, const std::vector<double>& weights) override {
    input_.model.set_weights(weights);
  }
  void Save(const std::string& path) const override { input_.model.Save(path); }

 private:
  static RecordTexts TextsOf(const TaskOptions& options) {
    return {.data = {}, .loss = Task::LossText(options), .options = options.Entries()};
  }
  static Problem MakeProblem(const TaskInput<Task>& input) {
    Ranks& ranks = RanksOrOne(input.ranks);
    std::optional<Dataset> dataset;
    OnAllRanks(ranks, [&] { dataset.emplace(Task::MakeTrainingData(input.model, input.data)); });
    RequireExamples({input.data.source, std::string(Task::kNoun), std::string(Task::kNothingKnown),
                     dataset->size(), input.data.num_examples() - dataset->size()},
                    ranks);
    return Problem(MakeTrainingSet(*dataset, Task::Loss(input.model, input.options)), 1, &ranks);
  }

  TaskInput<Task>& input_;
  Problem problem_;
};

/// A training in a fold.
template <class Task>
class TaskTrial final : public TrainedTrial {
 public:
  TaskTrial(const TaskInput<Task>& input, const Fold& fold, const TrainOptions& options)
      : TrainedTrial(options),
        model_(input.model),
        held_out_(Task::Select(input.data, fold.held_out())) {
    const Dataset training =
        Task::MakeTrainingData(model_, Task::Select(input.data, fold.Others()));
    SetProblem(Problem(MakeTrainingSet(training, Task::Loss(model_, input.options)), 1));
  }

 private:
  std::vector<double> Figures(std::span<const double> weights) override {
    model_.set_weights({weights.begin(), weights.end()});
    const auto predictions = Task::Predict(model_, held_out_, static_cast<int>(options().threads));
    const auto metrics = Task::Evaluate(model_, held_out_, predictions, OneRank());
    std::vector<double> figures;
    for (const auto& figure : Task::Figures()) figures.push_back(metrics.*figure.value);
    return figures;
  }

  typename Task::Model model_;
  typename Task::Data held_out_;
};

template <class Task>
class TaskCv final : public CvApplication {
 public:
  /// The input must outlive this object.
  explicit TaskCv(const TaskInput<Task>& input) : input_(input) {}

  std::string source() const override { return input_.data.source; }
  Index num_examples() const override { return input_.data.num_examples(); }
  bool HasKnownLabel(Index example) const override {
    return Task::HasKnownLabel(input_.data, example);
  }
  std::unique_ptr<FoldTrial> MakeTrial(std::size_t /*candidate*/, const Fold& fold,
                                       const TrainOptions& options) const override {
    return std::make_unique<TaskTrial<Task>>(input_, fold, options);
  }

 private:
  const TaskInput<Task>& input_;
};

}  // namespace slackline::internal
