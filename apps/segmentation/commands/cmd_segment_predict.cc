// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment predict
#ifdef SLACKLINE_WITH_VISION
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/terminal_line.h>
#include <slackline/apps/segmentation/commands/cmd_segment.h>
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>
#include <slackline/apps/segmentation/images/segmenter.h>
#include <slackline/core/check.h>
#include <slackline/core/model_file.h>
#include <slackline/core/parallel.h>
#include <slackline/core/quoted.h>
#include <slackline/vision/pictures.h>

namespace slackline::internal::program {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSegmentPredictDescription =
    "Predicts the class of every pixel of images.\n"
    "For IMAGE NAME.jpg it writes DIR/NAME.png, a palette image whose values are class numbers, or "
    "with prepare --void those\n"
    "of the training labels. --overlay also writes DIR/NAME-overlay.png, a picture for people. "
    "--scores also writes\n"
    "DIR/NAME-scores.csv, with a line for each fine superpixel: its number, its class, then the "
    "scores of all classes by its\n"
    "own features; and DIR/NAME-superpixels.png, whose 16-bit values are superpixel numbers.";

constexpr const char* kSegmentPredictExamples =
    "Examples:\n"
    "  slackline segment predict holiday/*.jpg --model pets.slk --out predicted --overlay";

struct SegmentPredictCommand {
  std::vector<std::string> images;
  std::string model;
  std::string out;
  bool overlay = false;
  bool scores = false;
  bool quiet = false;
  DecodeFlags decode;
  PixelFlag pixels;
};

/// Names of outputs without extensions. Throws DataError when two images would have the same
/// output, or an output would replace an image.
std::vector<std::string> OutputNames(const SegmentPredictCommand& command) {
  std::map<std::string, std::string> images;
  std::vector<std::string> names;
  for (const std::string& image : command.images) {
    const std::string stem = fs::path(image).stem().string();
    const auto [at, fresh] = images.emplace(stem, image);
    if (!fresh) {
      throw DataError("the results of " + Quoted(at->second) + " and " + Quoted(image) +
                      " would have the same name, " + stem + ".png");
    }
    names.push_back((fs::path(command.out) / stem).string());
  }
  std::vector<std::string> outputs;
  for (const std::string& name : names) {
    outputs.push_back(name + ".png");
    if (command.overlay) outputs.push_back(name + "-overlay.png");
    if (command.scores)
      outputs.insert(outputs.end(), {name + "-scores.csv", name + "-superpixels.png"});
  }
  std::vector<std::string> inputs = command.images;
  inputs.push_back(command.model);
  CheckResults("out", outputs, inputs);
  return names;
}

std::string ScoreLines(const SegmentModel& model, const Segmenter::Result& result) {
  const std::size_t k = model.num_classes();
  std::string text = "superpixel,class";
  for (const std::string& name : model.classes()) text += "," + CsvCell(name);
  text += '\n';
  std::vector<Index> label(result.scores.size() / k);
  for (std::size_t p = 0; p < result.labels.labels.size(); ++p)
    label[result.superpixels.of_pixel[p]] = result.labels.labels[p];
  for (std::size_t i = 0; i < label.size(); ++i) {
    text += std::to_string(i) + "," + CsvCell(model.classes()[label[i]]);
    for (std::size_t c = 0; c < k; ++c) text += "," + Number(result.scores[i * k + c], 9);
    text += '\n';
  }
  return text;
}

/// Replaces class numbers by the values of label images.
LabelImage Encode(LabelImage image, const LabelCoding& coding) {
  for (std::uint8_t& label : image.labels) label = coding.ValueOf(label);
  return image;
}

int RunSegmentPredict(const SegmentPredictCommand& command) {
  const DecodeKind decode = command.decode.ReadDecode();
  const int threads = command.decode.ReadThreads();
  const Index most_pixels = command.pixels.Read();
  Ranks& ranks = ProcessRanks();
  const std::vector<std::string> names = MakeOnAllRanks([&] { return OutputNames(command); });
  const SegmentModel model = MakeOnAllRanks([&] { return SegmentModel::Load(command.model); });
  const Segmenter segmenter(model, decode);
  // Each of several ranks predicts some of the images.
  const Ranks::Piece mine = ranks.PieceOf(std::ssize(names));
  const auto count = static_cast<Index>(mine.size());
  // All images are read once in advance, so that an error in the last one does not come after half
  // of the results are written.
  std::vector<std::optional<Image>> kept(names.size());
  OnAllRanks(ranks, [&] {
    ParallelChunks(count, count, threads, [&](const Chunk& chunk) {
      for (std::int64_t i = mine.begin + chunk.begin; i < mine.begin + chunk.end; ++i) {
        Image image = ReadImage(command.images[i], most_pixels);
        // A pipe cannot be read again, so its image is kept.
        if (!fs::is_regular_file(command.images[i])) kept[i] = std::move(image);
      }
    });
  });
  OnAllRanks(ranks, [&] { MakeFolder("out", command.out); });
  const LabelCoding coding = CodingOf(model);
  const std::vector<std::uint8_t> palette = ClassPalette(coding);
  TerminalLine line(!command.quiet);
  std::mutex mutex;
  Index done = 0;
  double prepare = 0;
  double predict = 0;
  Index certified = 0;
  OnAllRanks(ranks, [&] {
    ParallelChunks(count, count, threads, [&](const Chunk& chunk) {
      for (std::int64_t i = mine.begin + chunk.begin; i < mine.begin + chunk.end; ++i) {
        const Image image =
            kept[i] ? std::move(*kept[i]) : ReadImage(command.images[i], most_pixels);
        const Segmenter::Result result = segmenter.Predict(image, command.scores);
        WriteLabelPng(names[i] + ".png", Encode(result.labels, coding), palette);
        if (command.overlay)
          WritePng(names[i] + "-overlay.png", Overlay(image, result.labels, model.classes()));
        if (command.scores) {
          WriteFileAtomically(names[i] + "-scores.csv", ScoreLines(model, result));
          WriteNumberPng(names[i] + "-superpixels.png", image.width, image.height,
                         result.superpixels.of_pixel);
        }
        const std::lock_guard<std::mutex> lock(mutex);
        prepare += result.prepare_seconds;
        predict += result.predict_seconds;
        certified += result.certified ? 1 : 0;
        ++done;
        if (line.due() || done == 1)
          line.Show("predicting " + std::to_string(done) + " of " + std::to_string(count));
      }
    });
  });
  line.Clear();
  if (!command.quiet) {
    const auto images = static_cast<Offset>(names.size());
    certified = static_cast<Index>(ranks.SumOf(certified));
    prepare = ranks.SumOfReals(prepare);
    predict = ranks.SumOfReals(predict);
    std::fprintf(
        stderr,
        "%s written to %s; %s proven optimal; %s s per image to prepare, %s ms to predict\n",
        Count(images, "label image").c_str(), command.out.c_str(),
        std::to_string(certified).c_str(), Number(prepare / static_cast<double>(images), 3).c_str(),
        Number(1e3 * predict / static_cast<double>(images), 3).c_str());
  }
  return 0;
}

}  // namespace

void AddSegmentPredict(Command* parent, Action* action) {
  const auto [app, command] =
      AddCommand(parent, action, {"predict", kSegmentPredictDescription, kSegmentPredictExamples},
                 RunSegmentPredict);
  app->AddArgument("IMAGES", &command->images, "JPEG or PNG files")->Required();
  AddTextOption(app, "model", &command->model, "MODEL.slk", "the model")->Required();
  AddTextOption(app, "out", &command->out, "DIR", "folder for the results; created if missing")
      ->Required();
  app->AddFlag("--overlay", &command->overlay,
               "also write the images with their classes in colour, and a legend");
  app->AddFlag("--scores", &command->scores, "also write superpixels and their scores");
  app->AddFlag("--quiet,-q", &command->quiet, "print only errors");
  command->decode.Register(app);
  command->pixels.Register(app);
}

}  // namespace slackline::internal::program
#endif
