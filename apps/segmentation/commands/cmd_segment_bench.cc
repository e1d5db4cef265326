// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/commands/cmd_segment_bench.h>

#include <memory>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#ifdef SLACKLINE_WITH_VISION
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>
#endif

namespace slackline::internal::program {
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

BenchTask MakeSegmentBenchTask(const BenchProblem& problem, const std::string& folder,
                               bool with_test) {
  CheckBenchData(problem, folder);
  const std::vector<std::string> files = BenchFiles(problem, folder);
  SegmentFlags flags;
  flags.features = files[0];
  flags.potentials = files[1];
  SegmentTask task = LoadSegmentTask(flags);
  TrainingSet training =
      MakeSegmentTraining(task.model, task.data.examples, task.data.rows, SegmentLoss::kPixels);
  if (training.data.size() == 0) throw DataError(files[0], 0, "no training image has a label");
  BenchTask made{Problem(std::move(training), problem.lambda), {}};
  if (!with_test) return made;
  const auto model = std::make_shared<SegmentModel>(std::move(task.model));
  const auto images = std::make_shared<const std::vector<PreparedExample>>(
      LoadPrepared(files[0], files[1], *model, ImageRole::kTest));
  if (images->empty()) return made;
  made.test = [model, images](std::span<const double> weights) {
    model->set_weights({weights.begin(), weights.end()});
    return EvaluateSegments(*model, *images);
  };
  return made;
}
#else
BenchTask MakeSegmentBenchTask(const BenchProblem& problem, const std::string& /*folder*/,
                               bool /*with_test*/) {
  throw DataError("the problem '" + std::string(problem.name) +
                  "' needs images, which this program is built without (see `slackline segment`)");
}
#endif

}  // namespace slackline::internal::program
