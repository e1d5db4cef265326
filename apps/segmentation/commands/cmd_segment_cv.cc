// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment cv
#ifdef SLACKLINE_WITH_VISION
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/segmentation/commands/cmd_segment.h>
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kSegmentCvDescription =
    "Chooses lambda, and the loss if --loss is both, by cross-validation over the training images "
    "of FEATURES; then trains on\n"
    "all of them.\n"
    "The images are divided into K folds at random. For each fold, models are trained on the other "
    "folds for all values of\n"
    "lambda, from the largest to the smallest, each starting from the solution of the previous "
    "one, and are evaluated on the\n"
    "pixels of the fold.\n"
    "The table has mean and standard deviation over the folds. Ctrl-C ends cross-validation early.";

constexpr const char* kSegmentCvExamples =
    "Examples:\n"
    "  slackline segment cv pets.fea --model pets.slk\n"
    "  slackline segment cv pets.fea --lambda-path 0.01,0.001 --loss both --metric class "
    "--no-refit --json";

CvMetrics SegmentCvMetrics() {
  CvMetrics metrics;
  metrics.figures = {{"pixel", "pixel", "pixel accuracy"},
                     {"class", "class", "class average"},
                     {"iou", "iou", "mean IoU"}};
  metrics.text =
      "what to choose by: pixel accuracy, class average or mean IoU. Of equal values, the largest "
      "lambda is chosen";
  metrics.default_name = "pixel";
  return metrics;
}

struct SegmentCvCommand {
  SegmentFlags segment;
  CvFlags cv;
};

/// The losses that --loss names. Also does all checks of the flags that need no data.
std::vector<SegmentLoss> ReadLosses(const SegmentFlags& given) {
  SegmentFlags flags = given;
  const bool both = flags.loss == "both";
  if (both) flags.loss = Name(SegmentLoss::kPixels);
  flags.Check();
  std::vector<SegmentLoss> losses = {flags.ReadLoss()};
  if (both) losses.push_back(SegmentLoss::kBalanced);
  return losses;
}

class SegmentTrial : public TrainedTrial {
 public:
  SegmentTrial(const SegmentTask& task, SegmentLoss loss, const Fold& fold,
               const TrainOptions& options)
      : TrainedTrial(options), task_(task), model_(task.model), held_out_(fold.held_out()) {
    SetProblem(MakeFoldProblem(task, loss, fold));
  }

 private:
  std::vector<double> Figures(std::span<const double> weights) override {
    model_.set_weights({weights.begin(), weights.end()});
    ConfusionMatrix confusion(model_.num_classes());
    for (const Index m : held_out_) {
      const SegmentExample& example = task_.data.examples[m];
      const SegmentPrediction prediction =
          PredictSegments(model_, example, task_.data.rows, DecodeKind::kAuto);
      AddPixels(example, prediction.fine, &confusion);
    }
    const SegmentMetrics metrics = ComputeSegmentMetrics(confusion);
    return {metrics.pixel_accuracy, metrics.class_average, metrics.mean_iou};
  }

  const SegmentTask& task_;
  SegmentModel model_;
  const std::vector<Index>& held_out_;
};

/// Cross-validation whose candidates are losses.
class SegmentCv : public CvApplication {
 public:
  SegmentCv(const SegmentTask& task, const std::vector<SegmentLoss>& losses)
      : task_(task), losses_(losses) {}

  std::string source() const override { return task_.data.source; }
  Index num_examples() const override { return static_cast<Index>(task_.data.examples.size()); }
  bool HasKnownLabel(Index example) const override {
    const auto& pixels = task_.data.examples[example].fine_pixels;
    return std::any_of(pixels.begin(), pixels.end(), [](std::int64_t n) { return n > 0; });
  }
  std::unique_ptr<FoldTrial> MakeTrial(std::size_t candidate, const Fold& fold,
                                       const TrainOptions& options) const override {
    return std::make_unique<SegmentTrial>(task_, losses_[candidate], fold, options);
  }

 private:
  const SegmentTask& task_;
  const std::vector<SegmentLoss>& losses_;
};

int RunSegmentCv(const SegmentCvCommand& command) {
  const std::vector<SegmentLoss> losses = ReadLosses(command.segment);
  const CvSettings settings = command.cv.Read(SegmentCvMetrics(), command.segment.inputs());
  RefuseKernels(settings.train, "images");
  SegmentTask images = LoadSegmentTask(command.segment);
  CvTask task;
  task.noun = "training image";
  task.key = "images";
  task.all = "all training images";
  task.figures = SegmentCvMetrics().figures;
  task.shown = {0, 1, 2};
  task.candidate_key = "loss";
  task.candidates.clear();
  for (const SegmentLoss loss : losses) task.candidates.emplace_back(Name(loss));
  task.own = {
      {"layers", command.segment.layers},
      {"pairwise", Name(images.model.pairwise())},
      {"regions", OptionOf(images.data.converted.get(), "regions", command.segment.RegionsText())}};
  task.session = [&](std::size_t candidate) {
    SegmentFlags flags = command.segment;
    flags.loss = std::string(Name(losses[candidate]));
    return CompletedTask{MakeSegmentTrainTask(flags, losses[candidate], &images)};
  };
  return RunCv(command.cv, settings, SegmentCv(images, losses), task);
}

}  // namespace

void AddSegmentCv(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"cv", kSegmentCvDescription, kSegmentCvExamples}, RunSegmentCv);
  command->segment.Register(app);
  app->Get("loss")
      ->SetPlaceholder("pixels|balanced|both")
      ->SetText(
          "cost of a wrong superpixel: its share of the labelled pixels (pixels),\n"
          "or that divided by the share of its class (balanced); or the better one\n"
          "of both [pixels]");
  command->cv.Register(app, SegmentCvMetrics(), "all training images");
  app->ShowGroups();
}

}  // namespace slackline::internal::program
#endif
