// SPDX-License-Identifier: BSD-3-Clause
#ifdef SLACKLINE_WITH_VISION
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <set>

#include <nlohmann/json.hpp>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/choose_learner.h>

namespace slackline::internal::program {
namespace {

void DescribeData(const SegmentTask& task, const TrainingSet& training) {
  Offset fine = 0;
  Offset coarse = 0;
  for (const SegmentExample& example : task.data.examples) {
    fine += example.graph.num_fine;
    coarse += example.graph.num_coarse;
  }
  Ranks& ranks = RanksOrOne(task.ranks);
  fine = ranks.SumOf(fine);
  coarse = ranks.SumOf(coarse);
  const Offset count = ranks.SumOf(static_cast<Offset>(task.data.examples.size()));
  const auto images = static_cast<double>(count);
  const std::int64_t skipped_variables = ranks.SumOf(training.skipped_variables);
  const std::int64_t skipped_examples = ranks.SumOf(training.skipped_examples);
  std::string line = "data: " + Count(count, "image") + ", " +
                     Number(static_cast<double>(fine) / images, 4) + " fine and " +
                     Number(static_cast<double>(coarse) / images, 4) +
                     " coarse superpixels each, " +
                     (task.model.inputs() == SegmentInputs::kPotentials
                          ? "class potentials, "
                          : Count(task.model.num_features(), "feature") + " and a constant, ") +
                     std::to_string(task.model.num_classes()) + " classes";
  if (skipped_variables > 0)
    line += ", " + Count(skipped_variables, "superpixel") + " without labels";
  if (skipped_examples > 0) {
    line += ", " + Count(skipped_examples, "image") + " without any label left out";
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

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

SegmentSession::SegmentSession(const SegmentFlags& flags, SegmentLoss loss, SegmentTask* task)
    : flags_(flags), training_(task, loss, TextsOf(flags, flags.scale.scale, task->model)) {}

void SegmentSession::Describe(const LearnerChoice& choice, const std::string& lambda) const {
  const SegmentTask& task = training_.task();
  DescribeData(task, training_.problem().training());
  if (!task.scaled.line.empty()) std::fprintf(stderr, "%s\n", task.scaled.line.c_str());
  DescribeLearner(
      choice, lambda,
      "loss " + flags_.loss + ", layers " + flags_.layers + ", links " +
          (flags_.layers == "fine" ? "none" : std::string(Name(task.model.pairwise()))));
}

Json SegmentSession::StartEntries(const Problem& problem, const LearnerChoice& choice) const {
  static_cast<void>(choice);
  const SegmentModel& model = training_.task().model;
  Json start;
  start["skipped_images"] = problem.training().skipped_examples;
  start["void_superpixels"] = problem.training().skipped_variables;
  start["inputs"] = Name(model.inputs());
  start["features"] = model.num_features();
  start["classes"] = model.num_classes();
  start["weights"] = model.weights().size();
  return start;
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
