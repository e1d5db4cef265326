// SPDX-License-Identifier: BSD-3-Clause
#include "bench/segment_problem.h"

#include <memory>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#ifdef SLACKLINE_WITH_VISION
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>
#endif

namespace slackline::internal::bench {
#ifdef SLACKLINE_WITH_VISION
namespace {

TestFigures EvaluateSegments(const SegmentModel& model,
                             const std::vector<PreparedExample>& images) {
  ConfusionMatrix confusion(model.num_classes());
  for (const PreparedExample& image : images) {
    AddPixels(image.example,
              PredictSegments(model, image.example, image.rows, DecodeKind::kAuto).fine,
              &confusion);
  }
  const SegmentMetrics metrics = ComputeSegmentMetrics(confusion);
  return {{"pixel_accuracy", metrics.pixel_accuracy},
          {"class_average", metrics.class_average},
          {"mean_iou", metrics.mean_iou}};
}

}  // namespace

BenchTask MakeImageTask(const BenchFiles& files, bool with_test) {
  const std::string& features = files.train[0];
  const std::string& potentials = files.train[1];
  program::SegmentFlags flags;
  flags.features = features;
  flags.potentials = potentials;
  SegmentTask task = program::LoadSegmentTask(flags);
  TrainingSet training =
      MakeSegmentTraining(task.model, task.data.examples, task.data.rows, SegmentLoss::kPixels);
  if (training.data.size() == 0) throw DataError(features, 0, "no training image has a label");
  BenchTask made{Problem(std::move(training), 1)};
  if (!with_test) return made;
  const auto model = std::make_shared<SegmentModel>(std::move(task.model));
  const auto images = std::make_shared<const std::vector<PreparedExample>>(
      LoadPrepared(features, potentials, *model, ImageRole::kTest));
  if (images->empty()) return made;
  made.test = [model, images](std::span<const double> weights) {
    model->set_weights({weights.begin(), weights.end()});
    return EvaluateSegments(*model, *images);
  };
  return made;
}
#else
BenchTask MakeImageTask(const BenchFiles& files, bool /*with_test*/) {
  throw DataError(files.train[0], 0,
                  "needs images, which this program is built without (see `slackline segment`)");
}
#endif

}  // namespace slackline::internal::bench
