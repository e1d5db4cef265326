// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment evaluate
#ifdef SLACKLINE_WITH_VISION
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <mutex>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/common/program_version.h>
#include <slackline/apps/segmentation/commands/cmd_segment.h>
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>
#include <slackline/apps/segmentation/commands/cmd_segment_lists.h>
#include <slackline/apps/segmentation/commands/cmd_void.h>
#include <slackline/apps/segmentation/images/segmenter.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/quoted.h>
#include <slackline/vision/pictures.h>

namespace slackline::internal::program {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSegmentEvaluateDescription =
    "Compares predictions with label images, in pixels of the original images; void pixels do not "
    "count.\n"
    "Either the images of a list are segmented from scratch, or the test images of a file of "
    "prepared images (FEATURES)\n"
    "are used, which gives the same figures.";

constexpr const char* kSegmentEvaluateExamples =
    "Examples:\n"
    "  slackline segment evaluate --images photos --labels truth --list test.txt --model pets.slk\n"
    "  slackline segment evaluate --features pets.fea --model pets.slk --json\n"
    "  slackline segment evaluate --images photos --labels truth --list test.txt --model pets.slk "
    "--sheets sheets --confusion confusion.png";

struct SegmentEvaluateCommand {
  std::string images, labels, list;
  std::string features;
  std::string potentials;
  std::string model;
  std::string sheets;
  std::string confusion;
  bool json = false;
  bool quiet = false;
  DecodeFlags decode;
  PixelFlag pixels;
  VoidFlag voids;
};

void Register(Command* app, SegmentEvaluateCommand* command) {
  Option* images = AddTextOption(app, "images", &command->images, "DIR", "folder of the images");
  Option* labels = AddTextOption(app, "labels", &command->labels, "DIR",
                                 "folder of the label images (NAME.png)");
  Option* list = AddTextOption(app, "list", &command->list, "LIST",
                               "names of the images without endings, one per line");
  images->Needs(labels)->Needs(list);
  labels->Needs(images);
  list->Needs(images);
  Option* features = AddTextOption(app, "features", &command->features, "FEATURES",
                                   "use the test images of this file instead");
  features->Excludes(images)->Excludes(labels)->Excludes(list);
  AddTextOption(
      app, "potentials", &command->potentials, "FILE",
      "class potentials of their superpixels, for a model that was trained on class potentials")
      ->Needs(features);
  AddTextOption(app, "model", &command->model, "MODEL.slk", "the model")->Required();
  AddTextOption(app, "sheets", &command->sheets, "DIR",
                "write NAME.png with image, ground truth and prediction side by side")
      ->Excludes(features);
  AddTextOption(app, "confusion", &command->confusion, "FILE.png",
                "write a picture of the confusion matrix: rows are true classes, columns predicted "
                "ones, numbers percent of the true class's pixels");
  app->AddFlag("--json", &command->json, "write JSON, with the confusion matrix");
  app->AddFlag("--quiet,-q", &command->quiet, "show no progress");
  command->decode.Register(app);
  command->pixels.Register(app);
  command->voids.Register(app, "as in the training data");
}

/// The files of one listed image.
struct Source {
  std::string image;
  std::string labels;
  std::string sheet;  // empty: no sheet
};

std::vector<Source> FindSources(const SegmentEvaluateCommand& command) {
  std::vector<ListedImage> listed;
  ReadImageList(command.list, &listed);
  std::vector<Source> sources;
  std::vector<std::string> inputs = {command.model, command.list};
  std::vector<std::string> sheets;
  for (const auto& [name, list, line] : listed) {
    Source& source = sources.emplace_back();
    try {
      source.image =
          FindImageFile(command.images, name, {std::begin(kImageEndings), std::end(kImageEndings)});
      source.labels =
          FindImageFile(command.labels, name, {std::begin(kLabelEndings), std::end(kLabelEndings)});
    } catch (const DataError& error) {
      throw DataError(list, line, "image " + Quoted(name) + ": " + error.what());
    }
    inputs.insert(inputs.end(), {source.image, source.labels});
    if (command.sheets.empty()) continue;
    source.sheet = (fs::path(command.sheets) / (name + ".png")).string();
    sheets.push_back(source.sheet);
  }
  CheckResults("sheets", sheets, inputs);
  if (command.confusion.empty()) return sources;
  inputs.insert(inputs.end(), sheets.begin(), sheets.end());
  CheckResults("confusion", {command.confusion}, inputs);
  return sources;
}

/// The part of the images that this rank segments.
std::vector<Source> PieceOf(const std::vector<Source>& sources) {
  const Ranks::Piece mine = ProcessRanks().PieceOf(std::ssize(sources));
  return {sources.begin() + mine.begin, sources.begin() + mine.end};
}

void CheckSource(const Source& source, Index num_classes, Index most_pixels,
                 const LabelCoding& coding) {
  const Image image = ReadImage(source.image, most_pixels);
  const LabelImage truth = ReadLabelImage(source.labels, num_classes, most_pixels, coding);
  if (truth.width == image.width && truth.height == image.height) return;
  throw DataError(source.labels, 0,
                  "the label image has " + std::to_string(truth.width) + " × " +
                      std::to_string(truth.height) + " pixels, but " + source.image + " has " +
                      std::to_string(image.width) + " × " + std::to_string(image.height));
}

/// Segments the images of the list; each of several ranks segments some of them.
SegmentEvaluation EvaluateImages(const SegmentEvaluateCommand& command, const SegmentModel& model,
                                 DecodeKind decode, int threads) {
  const Index most_pixels = command.pixels.Read();
  const LabelCoding coding = command.voids.Read(CodingOf(model), model.num_classes());
  const std::vector<Source> sources = PieceOf(MakeOnAllRanks([&] { return FindSources(command); }));
  const Segmenter segmenter(model, decode);
  const auto count = static_cast<Index>(sources.size());
  // All files are read once in advance, so that an error in the last image does not come after half
  // of the sheets are written.
  OnAllRanks(ProcessRanks(), [&] {
    ParallelChunks(count, count, threads, [&](const Chunk& chunk) {
      for (Index i = chunk.begin; i < chunk.end; ++i)
        CheckSource(sources[i], model.num_classes(), most_pixels, coding);
    });
  });
  OnAllRanks(ProcessRanks(), [&] {
    for (const Source& source : sources) {
      if (!source.sheet.empty())
        MakeFolder("sheets", fs::path(source.sheet).parent_path().string());
    }
  });
  SegmentEvaluation total(model.num_classes());
  TerminalLine line(!command.quiet);
  std::mutex mutex;
  OnAllRanks(ProcessRanks(), [&] {
    ParallelChunks(count, count, threads, [&](const Chunk& chunk) {
      for (Index i = chunk.begin; i < chunk.end; ++i) {
        const Source& source = sources[i];
        const Image image = ReadImage(source.image, most_pixels);
        const LabelImage truth =
            ReadLabelImage(source.labels, model.num_classes(), most_pixels, coding);
        const Segmenter::Result result = segmenter.Predict(image, false);
        ConfusionMatrix confusion(model.num_classes());
        AddPixels(truth, result.labels, &confusion);
        if (!source.sheet.empty())
          WritePng(source.sheet, Sheet(image, truth, result.labels, model.classes()));
        const std::lock_guard<std::mutex> lock(mutex);
        total.confusion.Add(confusion);
        total.prepare_seconds += result.prepare_seconds;
        total.predict_seconds += result.predict_seconds;
        total.certified += result.certified ? 1 : 0;
        ++total.images;
        if (line.due())
          line.Show("image " + std::to_string(total.images) + " of " + std::to_string(count));
      }
    });
  });
  line.Clear();
  total.AddUp(ProcessRanks());
  return total;
}

std::string Percent(double share) {
  std::array<char, 20> text;
  std::snprintf(text.data(), text.size(), std::isnan(share) ? "-" : "%.1f", 100 * share);
  return text.data();
}

std::string Table(const SegmentModel& model, const SegmentEvaluation& result,
                  const SegmentMetrics& metrics) {
  std::string text;
  Append(&text, "%d images, %lld labelled pixels; %d predictions proven optimal for the model\n\n",
         result.images, static_cast<long long>(metrics.pixels), result.certified);
  Append(&text, "pixel accuracy   %6s %%  (share of pixels that are right)\n",
         Percent(metrics.pixel_accuracy).c_str());
  Append(&text,
         "class average    %6s %%  (mean over the classes of the share of their pixels that was "
         "found)\n",
         Percent(metrics.class_average).c_str());
  Append(&text, "mean IoU         %6s %%  (mean over the classes of intersection over union)\n\n",
         Percent(metrics.mean_iou).c_str());
  Append(&text, "%8s %10s %8s %12s  %s\n", "recall", "precision", "IoU", "pixels", "class");
  for (std::size_t c = 0; c < metrics.classes.size(); ++c) {
    const ClassFigures& figures = metrics.classes[c];
    Append(&text, "%8s %10s %8s %12lld  %.100s\n", Percent(figures.recall).c_str(),
           Percent(figures.precision).c_str(), Percent(figures.iou).c_str(),
           static_cast<long long>(figures.pixels), model.classes()[c].c_str());
  }
  return text;
}

Json ToJson(double value) { return std::isnan(value) ? Json() : Json(value); }

Json ResultJson(const SegmentModel& model, const SegmentEvaluation& result,
                const SegmentMetrics& metrics) {
  Json classes = Json::array();
  for (std::size_t c = 0; c < metrics.classes.size(); ++c) {
    const ClassFigures& figures = metrics.classes[c];
    classes.push_back({{"name", model.classes()[c]},
                       {"pixels", figures.pixels},
                       {"recall", ToJson(figures.recall)},
                       {"precision", ToJson(figures.precision)},
                       {"iou", ToJson(figures.iou)}});
  }
  Json confusion = Json::array();
  for (Index a = 0; a < model.num_classes(); ++a) {
    Json row = Json::array();
    for (Index b = 0; b < model.num_classes(); ++b) row.push_back(result.confusion.count(a, b));
    confusion.push_back(std::move(row));
  }
  return {{"program", ProgramVersion()},
          {"images", result.images},
          {"pixels", metrics.pixels},
          {"pixel_accuracy", metrics.pixel_accuracy},
          {"class_average", metrics.class_average},
          {"mean_iou", metrics.mean_iou},
          {"certified", result.certified},
          {"prepare_seconds_per_image", result.prepare_seconds / result.images},
          {"predict_seconds_per_image", result.predict_seconds / result.images},
          {"classes", std::move(classes)},
          {"confusion", std::move(confusion)}};
}

int RunSegmentEvaluate(const SegmentEvaluateCommand& command) {
  if (!command.features.empty() && !command.voids.values.empty())
    throw DataError("--void is for label images; prepared images no longer have their values");
  if (command.features.empty() && command.images.empty())
    throw DataError("either --images, --labels and --list are needed, or --features");
  const DecodeKind decode = command.decode.ReadDecode();
  const int threads = command.decode.ReadThreads();
  command.pixels.Read();
  if (!command.confusion.empty())
    CheckOutput("confusion", command.confusion,
                {command.model, command.list, command.features, command.potentials}, false);
  const SegmentModel model = MakeOnAllRanks([&] { return SegmentModel::Load(command.model); });
  const SegmentEvaluation result =
      command.features.empty()
          ? EvaluateImages(command, model, decode, threads)
          : EvaluatePrepared(command.features, command.potentials, model, decode, ProcessRanks());
  if (!HasPixels(result.confusion))
    throw DataError("the images have no labelled pixels to compare with");
  const SegmentMetrics metrics = ComputeSegmentMetrics(result.confusion);
  OnFirstRank([&] {
    if (!command.confusion.empty())
      WritePng(command.confusion, ConfusionPicture(result.confusion.counts(), model.classes()));
    WriteOutput("-", command.json ? JsonText(ResultJson(model, result, metrics))
                                  : Table(model, result, metrics));
  });
  return 0;
}

}  // namespace

void AddSegmentEvaluate(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"evaluate", kSegmentEvaluateDescription, kSegmentEvaluateExamples},
      RunSegmentEvaluate);
  Register(app, command);
}

}  // namespace slackline::internal::program
#endif
