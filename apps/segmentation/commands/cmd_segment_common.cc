// SPDX-License-Identifier: BSD-3-Clause
#ifdef SLACKLINE_WITH_VISION
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
void SegmentFlags::RegisterLayers(Command* app, SegmentChoices* choices) {
  AddTextOption(app, "layers", &choices->layers, "two|fine|neighbours",
                "two: fine and coarse superpixels, linked where one lies in the other. fine: fine "
                "ones alone. neighbours: as two, with links between neighbouring fine ones, by "
                "contrast",
                "two");
}

void SegmentFlags::RegisterRegions(Command* app, SegmentChoices* choices) {
  AddTextOption(app, "regions", &choices->regions, "all|own,neighbours,image",
                "features of the superpixel itself, of its surroundings, of the whole image", "all")
      ->SetAudience(Audience::kCommand);
}

void SegmentFlags::Register(Command* app) {
  app->AddArgument("FEATURES", &features, "file of prepared or converted images")->Required();
  scale.Register(app);
  app->StartGroup(kModelGroup);
  RegisterLayers(app, this);
  AddTextOption(app, "pairwise", &pairwise, "potts|table|agreement",
                "weights of a link: one for different classes, one for every pair of classes, or "
                "one for every class that both have",
                "table; with --potentials potts")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "loss", &loss, "pixels|balanced",
                "cost of a wrong superpixel: its share of the labelled pixels, or this divided by "
                "the share of its class",
                "pixels");
  RegisterRegions(app, this);
  AddTextOption(app, "potentials", &potentials, "FILE",
                "instead of features: a number per class for every superpixel (see `segment "
                "potentials`)")
      ->Excludes("regions");
}

void SegmentFlags::Check() const {
  SegmentChoices::Check();
  scale.Read();
}

std::vector<std::string> SegmentFlags::inputs() const {
  if (potentials.empty()) return {features};
  return {features, potentials};
}

SegmentTask LoadSegmentTask(const SegmentFlags& flags, const TrainOptions& train) {
  return LoadSegmentTask(flags.features, flags, flags.scale.Read(), ExactRanks(train),
                         ShardsFor(train));
}

Problem MakeFoldProblem(const SegmentTask& task, SegmentLoss loss, const Fold& fold) {
  std::vector<SegmentExample> examples;
  for (const Index m : fold.OthersByFold()) examples.push_back(task.data.examples[m]);
  TrainingSet training = MakeSegmentTraining(task.model, examples, task.data.rows, loss);
  if (training.data.size() == 0) {
    throw DataError(task.data.source, 0,
                    fold.name() + " has all labels that are known: nothing is left to train on");
  }
  return Problem(std::move(training), 1);
}

std::unique_ptr<SegmentTraining> MakeSegmentTrainTask(const SegmentFlags& flags, SegmentLoss loss,
                                                      SegmentTask* task) {
  return std::make_unique<SegmentTraining>(task, loss,
                                           TextsOf(flags, flags.scale.scale, task->model));
}

void CheckResults(std::string_view option, const std::vector<std::string>& outputs,
                  const std::vector<std::string>& inputs) {
  const auto canonical = [](const std::string& path) {
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(path, error);
    const std::filesystem::path target = std::filesystem::weakly_canonical(absolute, error);
    return error ? absolute.lexically_normal() : target;  // if a folder cannot be entered
  };
  std::set<std::filesystem::path> taken;
  for (const std::string& input : inputs) taken.insert(canonical(input));
  const std::set<std::filesystem::path> read = taken;
  for (const std::string& output : outputs) {
    const std::filesystem::path path = canonical(output);
    if (taken.insert(path).second) continue;
    throw DataError("--" + std::string(option) + ": " +
                    (read.count(path) > 0 ? "a result would replace the input " + Quoted(output)
                                          : "two results would have the name " + Quoted(output)));
  }
}

void MakeFolder(std::string_view option, const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  std::error_code ignored;
  const std::string name = "--" + std::string(option);
  if (!std::filesystem::is_directory(path, ignored)) {
    throw DataError(name + ": cannot make the folder " + Quoted(path) +
                    (error ? ": " + error.message() : ""));
  }
  if (access(path.c_str(), W_OK | X_OK) == 0) return;
  throw DataError(name + ": cannot write into the folder " + Quoted(path) + ": " +
                  std::strerror(errno));
}

}  // namespace slackline::internal::program
#endif
