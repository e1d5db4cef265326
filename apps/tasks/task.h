// SPDX-License-Identifier: BSD-3-Clause
//
// A task is one application: what its examples are, and how its model is made, trained and judged.
// Each is described by a type with static members (apps/matching/matching_task.h is one):
//
//   Data, Model, Metrics its types. Data has the members source, rows, num_features and
//                        num_examples(); Model those of apps/matching/matching_model.h that this
//                        file uses
//   kNoun, kVariable, kAll
//                        what users call an example, a variable and all data: "example", "edge",
//                        "all examples"
//   kNothingKnown        "no edge has a known label"
//   kKernels             null if models can have kernels, else what they are models of
//   kRecorded            the options in the record of a model, in this order
//   Options()            its options (task_options.h), --scale among them
//   Load(request)        data, and a model with all weights zero
//   FeatureName(model, data)
//                        a function from numbers of features to names, for messages
//   Context(model)       what must match in a resumed run besides problem and options
//   MakeTraining(model, data, options, examples)
//                        the training set of all examples (null), or of these
//   SetTrained(model, problem, train, weights)
//                        puts the result of a training into the model
//   HasKnownLabel(data, example)
//   Measure(model, data, examples, threads)
//                        the metrics of predictions for these examples
//   Figures()            the metrics by which λ can be chosen
//
// and, for texts,
//
//   LossText(options), Costs(data)
//                        loss and costs of errors in the record of a model
//   Notes(data)          sentences about how data were read
//   DataLine(input, kept, ranks)
//                        "data: …"; kept: the training examples of all ranks
//   ModelText(options)   what is trained, behind λ
//   StartEntries(input, training)
//                        entries of the first object of the log
//
// From the description follow the training and the cross-validation below, and the commands of
// apps/tasks/commands/cmd_task.h, which lists what else predictions need.
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
#include <slackline/apps/tasks/task_options.h>
#include <slackline/apps/training/dealt_examples.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/core/kernel.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// A metric by which λ can be chosen.
template <class Metrics>
struct TaskFigure {
  FigureName name;
  double Metrics::*value;
};

/// What training data a task is to load.
struct TaskRequest {
  std::string path;
  const TaskOptions& options;
  bool kernelized = false;
  Ranks* ranks = nullptr;  ///< that read the data together (TrainOptions::ranks)
  Index shards = 0;        ///< how the examples are dealt (ShardsFor)
};

/// What a model is trained on. The scaled rows replace those of the data.
template <class Task>
struct TaskInput {
  TaskOptions options;
  typename Task::Data data;
  typename Task::Model model;
  ScaledInputs scaled;
  RecordTexts texts;  ///< without the name of the data
  bool kernelized = false;
  Ranks* ranks = nullptr;  ///< as given to MakeTaskInput
};

/// Scales the features of the data for a model that has been made for them. Throws what
/// ScaleForTraining throws. ranks: the processes that train together, each with its own examples
/// (ExactRanks of the training options), which all call it; null: this process alone.
template <class Task>
TaskInput<Task> MakeTaskInput(const TaskRequest& request, typename Task::Data data,
                              typename Task::Model model, Ranks* ranks = nullptr) {
  ScaledInputs scaled = ScaleForTraining(
      request.options.Scale(),
      {data.source, data.rows, data.num_features, Task::FeatureName(model, data)}, ranks);
  data.rows = scaled.rows;
  model.set_scaling(scaled.scaling);
  RecordTexts texts{{},
                    Task::LossText(request.options),
                    request.options.Entries(Task::kRecorded),
                    Task::Costs(data)};
  return {request.options,
          std::move(data),
          std::move(model),
          std::move(scaled),
          std::move(texts),
          request.kernelized,
          ranks};
}

/// The training of a model on all the data.
template <class Task>
class TaskTraining final : public ProblemTask {
 public:
  /// The input must outlive this object. Throws DataError when no label is known, with several
  /// ranks when some example has no known label, and with several ranks and a kernel.
  explicit TaskTraining(TaskInput<Task>* input)
      : ProblemTask(input->data.source, input->texts),
        input_(*input),
        problem_(MakeProblem(*input)) {}

  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return Task::kVariable; }
  std::vector<std::string> DataLines() const override {
    std::vector<std::string> lines = NoteLines(Task::Notes(input_.data));
    Ranks& ranks = RanksOrOne(input_.ranks);
    lines.push_back(Task::DataLine(input_, ranks.SumOf(problem_.size()), ranks));
    lines.push_back(input_.scaled.line);
    return lines;
  }
  std::string ModelText() const override { return Task::ModelText(input_.options); }
  TaskEntries StartEntries() const override {
    return Task::StartEntries(input_, problem_.training());
  }
  std::vector<std::string> Warnings() const override { return input_.scaled.warnings; }
  Fingerprint Context() const override { return Task::Context(input_.model); }
  TrainingRecord* record() override { return &input_.model.record; }
  void SetWeights(const TrainOptions& options, const std::vector<double>& weights) override {
    Task::SetTrained(&input_.model, problem_, options, weights);
  }
  void Save(const std::string& path) const override { input_.model.Save(path); }

 private:
  static Problem MakeProblem(const TaskInput<Task>& input) {
    Ranks& ranks = RanksOrOne(input.ranks);
    if (input.kernelized) RefuseKernelOnRanks(ranks);
    std::optional<TrainingSet> training;
    OnAllRanks(ranks, [&] {
      training.emplace(Task::MakeTraining(input.model, input.data, input.options, nullptr));
    });
    const Index kept = training->data.size();
    RequireExamples({input.data.source, std::string(Task::kNoun), std::string(Task::kNothingKnown),
                     kept, input.data.num_examples() - kept},
                    ranks);
    return Problem(std::move(*training), 1, &ranks);
  }

  TaskInput<Task>& input_;
  Problem problem_;
};

/// A training in a fold.
template <class Task>
class TaskTrial final : public TrainedTrial {
 public:
  /// Input and fold must outlive this object.
  TaskTrial(const TaskInput<Task>& input, const Fold& fold, const TrainOptions& options)
      : TrainedTrial(options), input_(input), model_(input.model), held_out_(fold.held_out()) {
    const std::vector<Index> others = fold.Others();
    SetProblem(Problem(Task::MakeTraining(model_, input.data, input.options, &others), 1));
  }

 private:
  std::vector<double> Figures(std::span<const double> weights) override {
    Task::SetTrained(&model_, problem(), options(), weights);
    const auto metrics =
        Task::Measure(model_, input_.data, held_out_, static_cast<int>(options().threads));
    std::vector<double> figures;
    for (const auto& figure : Task::Figures()) figures.push_back(metrics.*figure.value);
    return figures;
  }

  const TaskInput<Task>& input_;
  typename Task::Model model_;
  const std::vector<Index>& held_out_;
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
