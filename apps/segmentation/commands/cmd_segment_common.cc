// SPDX-License-Identifier: BSD-3-Clause
#ifdef SLACKLINE_WITH_VISION
#include <slackline/apps/segmentation/commands/cmd_segment_common.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/segmentation/class_potentials.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>
#include <slackline/core/timer.h>

namespace slackline::internal::program {
namespace {

/// The features of the requested regions, with adjacent blocks joined.
std::vector<FeatureRange> SelectRanges(const std::vector<FeatureBlock>& blocks,
                                       const std::string& regions) {
  const std::vector<std::string> wanted = Split(regions, ',');
  std::vector<FeatureRange> ranges;
  for (const FeatureBlock& block : blocks) {
    const std::string region = block.name.substr(0, block.name.find('/'));
    if (regions != "all" && std::find(wanted.begin(), wanted.end(), region) == wanted.end())
      continue;
    if (!ranges.empty() && ranges.back().begin + ranges.back().size == block.begin) {
      ranges.back().size += block.size;
    } else {
      ranges.push_back({block.begin, block.size});
    }
  }
  if (ranges.empty()) throw DataError("--regions: the file has no features of " + Quoted(regions));
  return ranges;
}

SegmentGraph MakeGraph(Index num_fine, Index num_coarse, std::span<const std::int32_t> parent,
                       std::span<const NeighbourPair> neighbours) {
  SegmentGraph graph;
  graph.num_fine = num_fine;
  graph.num_coarse = num_coarse;
  graph.parent.assign(parent.begin(), parent.end());
  for (const NeighbourPair& pair : neighbours)
    graph.neighbours.push_back({pair.first, pair.second, pair.contrast});
  return graph;
}

/// The numbers of pixels without the void column.
std::vector<std::int64_t> LabelledPixels(std::span<const std::int32_t> pixels, Index num_classes) {
  const std::size_t columns = num_classes + 1;
  std::vector<std::int64_t> labelled;
  for (std::size_t k = 0; k < pixels.size(); ++k) {
    if (k % columns != columns - 1) labelled.push_back(pixels[k]);
  }
  return labelled;
}

void AddRows(const SegmentModel& model, std::span<const std::uint16_t> halves, FeatureRows* rows) {
  std::vector<double> features(model.file_dimension());
  std::vector<double> row(model.num_columns());
  for (std::size_t begin = 0; begin < halves.size(); begin += features.size()) {
    DecodeHalf(halves.subspan(begin, features.size()), features);
    model.SelectFeatures(features, row);
    rows->AddDense(row);
  }
}

void AddRows(const SegmentModel& model, const std::vector<float>& floats, FeatureRows* rows) {
  const std::size_t dimension = model.file_dimension();
  std::vector<double> features(dimension);
  std::vector<double> row(model.num_columns());
  for (std::size_t begin = 0; begin < floats.size(); begin += dimension) {
    std::copy_n(floats.begin() + static_cast<std::ptrdiff_t>(begin), dimension, features.begin());
    model.SelectFeatures(features, row);
    rows->AddDense(row);
  }
}

/// Makes the example of an image and appends its feature rows to `rows`. `potentials` is null for a
/// model of features.
SegmentExample MakeExample(const SegmentModel& model, const PreparedImage& image,
                           const ClassPotentials* potentials, FeatureRows* rows) {
  SegmentExample example;
  example.graph = MakeGraph(image.num_fine, image.num_coarse, image.parent, image.neighbours);
  example.first_row = rows->size();
  example.fine_pixels = LabelledPixels(image.fine_pixels, model.num_classes());
  example.coarse_pixels = LabelledPixels(image.coarse_pixels, model.num_classes());
  if (potentials == nullptr) {
    AddRows(model, image.fine_features, rows);
    if (model.has_coarse()) AddRows(model, image.coarse_features, rows);
    return example;
  }
  example.potentials = potentials->Layer(image.name, true, image.num_fine);
  if (!model.has_coarse()) return example;
  const std::vector<double> coarse = potentials->Layer(image.name, false, image.num_coarse);
  example.potentials.insert(example.potentials.end(), coarse.begin(), coarse.end());
  return example;
}

std::optional<ClassPotentials> ReadPotentials(const std::string& path, const SegmentModel& model) {
  if (model.inputs() == SegmentInputs::kFeatures) return std::nullopt;
  return ClassPotentials(path, model.classes());
}

const ClassPotentials* PointerTo(const std::optional<ClassPotentials>& potentials) {
  return potentials ? &*potentials : nullptr;
}

SegmentModel MakeModel(const SegmentFlags& flags, const FeatureFile& file) {
  const bool features = flags.potentials.empty();
  SegmentModel model = features ? SegmentModel(file.classes(), file.dimension(),
                                               SelectRanges(file.blocks(), flags.regions),
                                               flags.ReadLayers(), flags.ReadPairwise())
                                : SegmentModel::OfPotentials(file.classes(), flags.ReadLayers(),
                                                             flags.ReadPairwise());
  if (features) model.extractor = std::string(file.extractor());
  const std::vector<std::uint8_t>& values = file.coding().void_values();
  model.set_void_values({values.begin(), values.end()});
  return model;
}

RecordTexts TextsOf(const SegmentFlags& flags, const SegmentModel& model) {
  RecordTexts texts;
  texts.loss = flags.loss;
  texts.options = {{"layers", flags.layers},
                   {"pairwise", std::string(Name(model.pairwise()))},
                   {"loss", flags.loss},
                   {"regions", flags.regions},
                   {"potentials", flags.potentials},
                   {"scale", flags.scale.scale}};
  return texts;
}

void DescribeData(const SegmentTask& task, const TrainingSet& training) {
  Offset fine = 0;
  Offset coarse = 0;
  for (const SegmentExample& example : task.data.examples) {
    fine += example.graph.num_fine;
    coarse += example.graph.num_coarse;
  }
  const auto images = static_cast<double>(task.data.examples.size());
  std::string line = "data: " + Count(static_cast<Offset>(task.data.examples.size()), "image") +
                     ", " + Number(static_cast<double>(fine) / images, 4) + " fine and " +
                     Number(static_cast<double>(coarse) / images, 4) +
                     " coarse superpixels each, " +
                     (task.model.inputs() == SegmentInputs::kPotentials
                          ? "class potentials, "
                          : Count(task.model.num_features(), "feature") + " and a constant, ") +
                     std::to_string(task.model.num_classes()) + " classes";
  if (training.skipped_variables > 0)
    line += ", " + Count(training.skipped_variables, "superpixel") + " without labels";
  if (training.skipped_examples > 0) {
    line += ", " + Count(training.skipped_examples, "image") + " without any label left out";
  }
  std::fprintf(stderr, "%s\n", line.c_str());
}

}  // namespace

void SegmentFlags::Register(CLI::App* app) {
  app->add_option("FEATURES", features, "file of prepared images")->required()->type_name("");
  AddTextOption(app, "layers", &layers, "two|fine|neighbours",
                "two: fine and coarse superpixels, each fine one linked with the coarse one around "
                "it. fine: fine ones alone, without links. neighbours: as two, plus links between "
                "neighbouring fine ones, by contrast",
                "two");
  AddTextOption(app, "pairwise", &pairwise, "potts|table",
                "weights of a link between layers: one for different classes, or one for every "
                "pair of classes",
                "table; with --potentials potts");
  AddTextOption(app, "loss", &loss, "pixels|balanced",
                "cost of a wrong superpixel: its share of the labelled pixels (pixels), or that "
                "divided by the share of its class (balanced)",
                "pixels");
  scale.Register(app);
  AddTextOption(app, "regions", &regions, "all|own,neighbours,image",
                "which features: of the superpixel itself, of those around it, of the whole image",
                "all");
  AddTextOption(app, "potentials", &potentials, "FILE",
                "instead of features: a number per class for every superpixel (see `segment "
                "potentials`), with one weight per class that both layers share")
      ->excludes("--regions");
}

void SegmentFlags::Check() const {
  ReadLayers();
  ReadPairwise();
  ReadLoss();
  scale.Read();
  if (regions == "all") return;
  for (const std::string& region : Split(regions, ','))
    CheckChoice("regions", region, {"own", "neighbours", "image"});
}

SegmentLayers SegmentFlags::ReadLayers() const {
  return ReadChoice("layers", layers,
                    {SegmentLayers::kTwo, SegmentLayers::kFine, SegmentLayers::kNeighbours});
}

SegmentPairwise SegmentFlags::ReadPairwise() const {
  if (pairwise.empty())
    return potentials.empty() ? SegmentPairwise::kTable : SegmentPairwise::kPotts;
  return ReadChoice("pairwise", pairwise, {SegmentPairwise::kPotts, SegmentPairwise::kTable});
}

SegmentLoss SegmentFlags::ReadLoss() const {
  return ReadChoice("loss", loss, {SegmentLoss::kPixels, SegmentLoss::kBalanced});
}

std::vector<std::string> SegmentFlags::inputs() const {
  if (potentials.empty()) return {features};
  return {features, potentials};
}

SegmentTask LoadSegmentTask(const SegmentFlags& flags) {
  const FeatureFile file(flags.features);
  SegmentModel model = MakeModel(flags, file);
  const std::optional<ClassPotentials> potentials = ReadPotentials(flags.potentials, model);
  SegmentData data;
  data.source = flags.features;
  auto rows = std::make_shared<FeatureRows>();
  for (Index i = 0; i < file.num_images(); ++i) {
    const PreparedImage image = file.image(i);
    if (image.role != ImageRole::kTrain) continue;
    if (!potentials) file.CheckFeatures(i);
    data.names.emplace_back(image.name);
    data.examples.push_back(MakeExample(model, image, PointerTo(potentials), rows.get()));
  }
  if (data.examples.empty()) throw DataError(flags.features, 0, "the file has no training images");
  data.rows = std::move(rows);
  return MakeSegmentTask(std::move(model), std::move(data), flags.scale.Read());
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

std::vector<PreparedExample> LoadPrepared(const std::string& path,
                                          const std::string& potentials_path,
                                          const SegmentModel& model, ImageRole role) {
  const bool features = model.inputs() == SegmentInputs::kFeatures;
  if (features != potentials_path.empty())
    throw DataError(
        features ? "--potentials: the model was trained on features"
                 : "--potentials: required, since the model was trained on class potentials");
  const FeatureFile file(path);
  if (file.classes() != model.classes())
    throw DataError(path, 0, "the file has other classes than the model");
  if (features && file.extractor() != model.extractor)
    throw DataError(path, 0,
                    "the file has other features than those that the model was trained on");
  const std::optional<ClassPotentials> potentials = ReadPotentials(potentials_path, model);
  std::vector<PreparedExample> examples;
  for (Index i = 0; i < file.num_images(); ++i) {
    const PreparedImage image = file.image(i);
    if (image.role != role) continue;
    if (features) file.CheckFeatures(i);
    auto rows = std::make_shared<FeatureRows>();
    SegmentExample example = MakeExample(model, image, PointerTo(potentials), rows.get());
    examples.push_back({std::string(image.name), std::move(example), std::move(rows)});
  }
  return examples;
}

void AddPixels(const SegmentExample& example, std::span<const Index> predicted,
               ConfusionMatrix* confusion) {
  const std::size_t k = confusion->num_classes();
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    for (std::size_t c = 0; c < k; ++c)
      confusion->Add(static_cast<Index>(c), predicted[i], example.fine_pixels[i * k + c]);
  }
}

SegmentSession::SegmentSession(const SegmentFlags& flags, SegmentLoss loss, SegmentTask* task)
    : flags_(flags), training_(task, loss, TextsOf(flags, task->model)) {}

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

const SegmentModel& Segmenter::RequireFeatures(const SegmentModel& model) {
  if (model.inputs() == SegmentInputs::kFeatures) return model;
  throw DataError(
      "the model reads class potentials of superpixels, which an image alone does not give; use "
      "the model in `segment evaluate` with --features and --potentials");
}

Segmenter::Segmenter(const SegmentModel& model, DecodeKind decode)
    : model_(RequireFeatures(model)),
      extractor_(FeatureExtractor::Load(model.extractor)),
      decode_(decode) {
  if (extractor_.dimension() != model.file_dimension())
    throw DataError("the model's features do not fit its weights");
}

Segmenter::Result Segmenter::Predict(const Image& image, bool scores) const {
  Result result;
  const WallTimer preparing;
  ImageFeatures features = extractor_.Extract(image);
  result.prepare_seconds = preparing.Seconds();
  const WallTimer predicting;
  auto rows = std::make_shared<FeatureRows>();
  AddRows(model_, features.fine_rows, rows.get());
  if (model_.has_coarse()) AddRows(model_, features.coarse_rows, rows.get());
  SegmentExample example;
  example.graph =
      MakeGraph(features.fine.count, features.coarse.count, features.parent, features.neighbours);
  const SegmentPrediction prediction = PredictSegments(model_, example, rows, decode_);
  result.certified = prediction.certified();
  result.labels = Paint(features.fine, prediction.fine);
  result.predict_seconds = predicting.Seconds();
  if (scores) result.scores = ClassScores(model_, true, *rows, 0, features.fine.count);
  result.superpixels = std::move(features.fine);
  return result;
}

}  // namespace slackline::internal::program
#endif
