// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment cv
#ifdef SLACKLINE_WITH_VISION
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_help.h>
#include <slackline/apps/cli/training/cmd_cv.h>
#include <slackline/apps/common/path_trial.h>
#include <slackline/apps/segmentation/commands/cmd_segment.h>
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kDescription =
    "Chooses lambda, and the loss if --loss is both, by cross-validation over the training images "
    "of FEATURES; then trains on all of them.\n"
    "The images are dealt out to K folds at random. For each fold, models are trained on the "
    "others for all values of lambda,\n"
    "from the largest to the smallest, each from the solution of the one before, and are tried on "
    "the fold, in pixels.\n"
    "The table has mean and standard deviation over the folds. Ctrl-C ends it early.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline segment cv pets.fea --model pets.slk\n"
    "  slackline segment cv pets.fea --lambda-path 0.01,0.001 --loss both --metric class "
    "--no-refit --json";

CvMetrics Metrics() {
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

struct CvCommand {
  SegmentFlags segment;
  CvFlags cv;
};

/// The losses that --loss names. All checks of the flags that need no data.
std::vector<SegmentLoss> ReadLosses(const SegmentFlags& given) {
  SegmentFlags flags = given;
  const bool both = flags.loss == "both";
  if (both) flags.loss = Name(SegmentLoss::kPixels);
  flags.Check();
  std::vector<SegmentLoss> losses = {flags.ReadLoss()};
  if (both) losses.push_back(SegmentLoss::kBalanced);
  return losses;
}

/// One fold of one loss: what is trained on, and what it is tried on.
class SegmentTrial : public PathTrial {
 public:
  SegmentTrial(const SegmentTask& task, SegmentLoss loss, const TrainOptions& options,
               const std::vector<std::vector<Index>>& folds, std::size_t number)
      : PathTrial(options), task_(task), model_(task.model), held_out_(folds[number]) {
    SetProblem(MakeFoldProblem(task, loss, folds, number));
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
    const auto counts = confusion.counts();
    if (std::all_of(counts.begin(), counts.end(), [](std::int64_t n) { return n == 0; }))
      throw DataError(task_.data.source, 0, "a fold has no labels to compare with");
    const SegmentMetrics metrics = ComputeSegmentMetrics(confusion);
    return {metrics.pixel_accuracy, metrics.class_average, metrics.mean_iou};
  }

  const SegmentTask& task_;
  SegmentModel model_;
  std::vector<Index> held_out_;
};

int Run(const CvCommand& command) {
  const std::vector<SegmentLoss> losses = ReadLosses(command.segment);
  const CvSettings settings = command.cv.Read(Metrics(), command.segment.inputs());
  RefuseKernels(settings.train, "images");
  SegmentTask task = LoadSegmentTask(command.segment);
  CvProblem problem;
  problem.source = task.data.source;
  problem.examples = static_cast<Index>(task.data.examples.size());
  problem.noun = "training image";
  problem.key = "images";
  problem.all = "all training images";
  problem.figures = Metrics().figures;
  problem.shown = {0, 1, 2};
  problem.candidate_key = "loss";
  problem.candidates.clear();
  for (const SegmentLoss loss : losses) problem.candidates.emplace_back(Name(loss));
  problem.own = {{"layers", command.segment.layers},
                 {"pairwise", Name(task.model.pairwise())},
                 {"regions", command.segment.regions}};
  problem.make = [&](const TrainOptions& options, std::size_t candidate,
                     const std::vector<std::vector<Index>>& folds, std::size_t fold) {
    return std::make_unique<SegmentTrial>(task, losses[candidate], options, folds, fold);
  };
  problem.session = [&](std::size_t candidate) {
    SegmentFlags flags = command.segment;
    flags.loss = std::string(Name(losses[candidate]));
    return std::make_unique<SegmentSession>(flags, losses[candidate], &task);
  };
  return RunCv(command.cv, settings, problem);
}

}  // namespace

void AddSegmentCv(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<CvCommand>();
  CLI::App* app = parent->add_subcommand("cv", kDescription);
  command->segment.Register(app);
  CLI::Option* loss = app->get_option("--loss");
  loss->type_name("pixels|balanced|both");
  loss->description(
      "a wrong superpixel costs its share of the labelled pixels, or that divided by the share of "
      "its\nclass; or the better one of both [pixels]");
  command->cv.Register(app, Metrics(), "all training images");
  GroupHelp(app);
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::internal::program
#endif
