// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_training.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include <slackline/apps/training/converted_scaling.h>
#include <slackline/apps/training/dealt_examples.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/learning/learner_registry.h>

namespace slackline::internal {
namespace {

Ranks& RanksOf(const SequenceTask& task) { return RanksOrOne(task.ranks); }

SequenceTotals TotalsOf(const SequenceTask& task, const Problem& problem) {
  std::int64_t counts[] = {std::ssize(task.input.sequences), task.input.num_tokens(),
                           problem.training().skipped_variables};
  RanksOf(task).AddUp(counts);
  return {static_cast<Index>(counts[0]), counts[1], counts[2]};
}

std::string DescribeFeatures(const SequenceModel& model) {
  if (model.format() == SequenceFormat::kLetters) return Count(model.num_features(), "pixel");
  const SequenceFeatures& features = model.features();
  const std::string hashed = features.dictionary.hash_bits() > 0 ? "hashed " : "";
  if (model.format() == SequenceFormat::kAttributes)
    return Count(model.num_features(), hashed + "attribute");
  return Count(model.num_features(), hashed + "feature") + " of " +
         Count(features.templates.size(), "template");
}

}  // namespace

void CheckConstraints(LabelConstraints constraints, LearnerKind learner) {
  if (constraints == LabelConstraints::kAny || learner == LearnerKind::kAuto ||
      UsesOracle(learner) || UsesMarginals(learner))
    return;
  throw DataError("--constraints: " + std::string(Name(constraints)) + " needs --learner bcfw; " +
                  std::string(Name(learner)) +
                  " steps on single factors, and constraints hold for whole labellings");
}

SequenceTask MakeSequenceTask(SequenceInput input, const SequenceTrainingOptions& options) {
  CheckConstraints(options.constraints, options.learner);
  SequenceModel model =
      MakeSequenceModel(input, options.learner, options.constraints, RanksOrOne(options.ranks));
  const SequenceData& data = input.data;
  ScaledInputs scaled =
      data.converted != nullptr
          ? ScalingOfConverted(options.scale, *data.converted, data.source, data.rows)
          : ScaleForTraining(options.scale, {data.source, data.rows, data.num_features},
                             options.ranks);
  input.data.rows = scaled.rows;
  model.set_scaling(scaled.scaling);
  LossOptions loss;
  loss.scale = options.loss;
  return {std::move(input),  std::move(model), std::move(loss),
          std::move(scaled), options.ranks,    {}};
}

Problem MakeSequenceProblem(const SequenceTask& task, std::span<const Index> sequences) {
  TrainingSet training =
      MakeTrainingSet(task.model.MakeDataset(task.input.data, sequences), task.loss);
  RequireExamples({task.input.data.source, "sequence", "no sequence has a known label",
                   training.data.size(), training.skipped_examples},
                  RanksOf(task));
  return Problem(std::move(training), 1, &RanksOf(task));
}

SequenceTraining::SequenceTraining(SequenceTask* task, RecordTexts texts)
    : ProblemTask(task->input.data.source,
                  WithConversion(task->input.data.converted.get(), std::move(texts))),
      task_(*task),
      problem_(MakeSequenceProblem(*task, task->input.sequences)),
      totals_(TotalsOf(*task, problem_)) {}

std::vector<std::string> SequenceTraining::DataLines() const {
  std::vector<std::string> lines = task_.lines;
  std::string& line = lines.emplace_back(
      "data: " + Count(totals_.sequences, "sequence") + ", " + Count(totals_.tokens, "token") +
      ", " + DescribeFeatures(task_.model) + ", " + Count(task_.model.num_labels(), "label") +
      ", " + Count(task_.model.layout()->size(), "weight"));
  if (totals_.unlabelled_tokens > 0)
    line += ", " + Count(totals_.unlabelled_tokens, "token") + " without a label";
  const Index skipped = problem_.training().skipped_examples;
  if (skipped > 0) line += ", " + Count(skipped, "sequence") + " without any label left out";
  lines.push_back(task_.scaled.line);
  return lines;
}

std::string SequenceTraining::ModelText() const {
  const LabelConstraints constraints = task_.model.constraints();
  return "loss " + Texts().loss +
         (constraints == LabelConstraints::kAny
              ? std::string()
              : ", constraints " + std::string(Name(constraints)));
}

TaskEntries SequenceTraining::StartEntries() const {
  const SequenceModel& model = task_.model;
  return {{"skipped_sequences", problem_.training().skipped_examples},
          {"skipped_tokens", problem_.training().skipped_variables},
          {"tokens", task_.input.num_tokens()},
          {"features", model.num_features()},
          {"labels", model.num_labels()},
          {"constraints", std::string(Name(model.constraints()))},
          {"weights", std::ssize(model.weights())}};
}

Fingerprint SequenceTraining::Context() const {
  Fingerprint context = {{"names of the labels", HashOfNames(task_.model.label_names())},
                         {"--constraints", std::string(Name(task_.model.constraints()))}};
  AddWindows(task_.input.data.converted.get(), &context);
  if (task_.model.format() != SequenceFormat::kLetters) {
    const SequenceFeatures& features = task_.model.features();
    context.push_back({"names of the features",
                       HashOfNames({features.templates.text(), features.dictionary.Text()})});
  }
  return context;
}

}  // namespace slackline::internal
