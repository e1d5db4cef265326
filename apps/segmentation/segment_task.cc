// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/segment_task.h>

#include <cstdint>
#include <iterator>
#include <utility>

#include <slackline/apps/training/converted_scaling.h>
#include <slackline/apps/training/dealt_examples.h>
#include <slackline/core/number_text.h>

namespace slackline::internal {
namespace {

/// The training problem with an arbitrary λ.
Problem MakeProblem(const SegmentTask& task, SegmentLoss loss) {
  Ranks& ranks = RanksOrOne(task.ranks);
  TrainingSet training =
      MakeSegmentTraining(task.model, task.data.examples, task.data.rows, loss, ranks);
  RequireExamples({task.data.source, "image", "no training image has a label", training.data.size(),
                   training.skipped_examples},
                  ranks);
  return Problem(std::move(training), 1, &ranks);
}

}  // namespace

SegmentTask MakeSegmentTask(SegmentModel model, SegmentData data, std::optional<ScaleKind> scale,
                            Ranks* ranks) {
  ScaledInputs scaled;
  if (model.inputs() == SegmentInputs::kFeatures) {
    scaled = data.converted != nullptr
                 ? ScalingOfConverted(scale, *data.converted, data.source, data.rows)
                 : ScaleForTraining(scale, {data.source, data.rows, model.num_features()}, ranks);
    data.rows = scaled.rows;
    model.set_scaling(scaled.scaling);
  }
  return {std::move(model), std::move(data), std::move(scaled), ranks};
}

SegmentTraining::SegmentTraining(SegmentTask* task, SegmentLoss loss, RecordTexts texts)
    : ProblemTask(task->data.source, WithConversion(task->data.converted.get(), std::move(texts))),
      task_(*task),
      problem_(MakeProblem(*task, loss)) {}

std::vector<std::string> SegmentTraining::DataLines() const {
  std::int64_t counts[] = {std::ssize(task_.data.examples), 0, 0,
                           problem_.training().skipped_variables,
                           problem_.training().skipped_examples};
  for (const SegmentExample& example : task_.data.examples) {
    counts[1] += example.graph.num_fine;
    counts[2] += example.graph.num_coarse;
  }
  RanksOrOne(task_.ranks).AddUp(counts);
  const auto mean = [&](std::int64_t count) {
    return NumberText(static_cast<double>(count) / static_cast<double>(counts[0]), 4);
  };
  std::string line = "data: " + Count(counts[0], "image") + ", " + mean(counts[1]) + " fine and " +
                     mean(counts[2]) + " coarse superpixels each, " +
                     (task_.model.inputs() == SegmentInputs::kPotentials
                          ? "class potentials, "
                          : Count(task_.model.num_features(), "feature") + " and a constant, ") +
                     std::to_string(task_.model.num_classes()) + " classes";
  if (counts[3] > 0) line += ", " + Count(counts[3], "superpixel") + " without labels";
  if (counts[4] > 0) line += ", " + Count(counts[4], "image") + " without any label left out";
  return {line, task_.scaled.line};
}

std::string SegmentTraining::ModelText() const {
  const SegmentLayers layers = task_.model.layers();
  return "loss " + Texts().loss + ", layers " + std::string(Name(layers)) + ", links " +
         (layers == SegmentLayers::kFine ? "none" : std::string(Name(task_.model.pairwise())));
}

TaskEntries SegmentTraining::StartEntries() const {
  const SegmentModel& model = task_.model;
  return {{"skipped_images", problem_.training().skipped_examples},
          {"void_superpixels", problem_.training().skipped_variables},
          {"inputs", std::string(Name(model.inputs()))},
          {"features", model.num_features()},
          {"classes", model.num_classes()},
          {"weights", std::ssize(model.weights())}};
}

Fingerprint SegmentTraining::Context() const {
  Fingerprint context = {{"names of the classes", HashOfNames(task_.model.classes())}};
  AddWindows(task_.data.converted.get(), &context);
  return context;
}

void SegmentTraining::SetWeights(const TrainOptions& options, const std::vector<double>& weights) {
  static_cast<void>(options);
  task_.model.set_weights(weights);
}

}  // namespace slackline::internal
