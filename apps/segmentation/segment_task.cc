// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/segment_task.h>

#include <utility>

#include <slackline/apps/training/converted_scaling.h>
#include <slackline/apps/training/dealt_examples.h>

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
    : TrainTask(task->data.source, WithConversion(task->data.converted.get(), std::move(texts))),
      task_(*task),
      problem_(MakeProblem(*task, loss)) {}

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
