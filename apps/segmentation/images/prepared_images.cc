// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/images/prepared_images.h>

#include <algorithm>
#include <utility>

#include <slackline/apps/converted/converted_reader.h>
#include <slackline/apps/segmentation/images/converted_images.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include <slackline/core/ranks.h>
#include <slackline/core/record_deal.h>
#include <slackline/core/split.h>
#include <slackline/core/timer.h>

namespace slackline::internal {
namespace {

/// The features of the requested regions, with adjacent blocks joined.
std::vector<FeatureRange> SelectRanges(const std::vector<FeatureBlock>& blocks,
                                       const std::string& regions) {
  const bool all = regions == "all";
  const std::vector<std::string> wanted = Split(regions, ',');
  std::vector<FeatureRange> ranges;
  for (const FeatureBlock& block : blocks) {
    const std::string region = block.name.substr(0, block.name.find('/'));
    if (!all && std::find(wanted.begin(), wanted.end(), region) == wanted.end()) continue;
    if (!ranges.empty() && ranges.back().begin + ranges.back().size == block.begin) {
      ranges.back().size += block.size;
    } else {
      ranges.push_back({block.begin, block.size});
    }
  }
  if (ranges.empty()) throw DataError("--regions: the file has no features of " + Quoted(regions));
  return ranges;
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

std::vector<Index> ImagesOf(const FeatureFile& file, ImageRole role) {
  std::vector<Index> images;
  for (Index i = 0; i < file.num_images(); ++i) {
    if (file.image(i).role == role) images.push_back(i);
  }
  return images;
}

/// Calls visit(image) for the images of a role for a model, one after the other.
template <class Visit>
void ForEachPrepared(const std::string& path, const std::string& potentials_path,
                     const SegmentModel& model, ImageRole role, const Ranks& ranks,
                     const Visit& visit) {
  const bool features = model.inputs() == SegmentInputs::kFeatures;
  if (features != potentials_path.empty())
    throw DataError(
        features ? "--potentials: the model was trained on features"
                 : "--potentials: required, since the model was trained on class potentials");
  if (IsConverted(OneRank(), path))
    throw DataError(path, 0,
                    "converted images, which are for training: pass the file of prepared images");
  const FeatureFile file(path);
  if (file.classes() != model.classes())
    throw DataError(path, 0, "the file has other classes than the model");
  if (features && file.extractor() != model.extractor)
    throw DataError(path, 0,
                    "the file has other features than those that the model was trained on");
  const std::optional<ClassPotentials> potentials = ReadPotentials(potentials_path, model);
  const std::vector<Index> images = ImagesOf(file, role);
  const Ranks::Piece mine = ranks.PieceOf(std::ssize(images));
  for (std::int64_t k = mine.begin; k < mine.end; ++k)
    visit(LoadImage(file, images[static_cast<std::size_t>(k)], model, PointerTo(potentials)));
}

/// The training images of this rank.
SegmentData LoadImages(const FeatureFile& file, const std::string& path, const SegmentModel& model,
                       const std::string& potentials_path, const Ranks& ranks, Index shards) {
  const std::optional<ClassPotentials> potentials = ReadPotentials(potentials_path, model);
  const std::vector<Index> images = TrainingImages(file, path);
  const Ranks::Piece mine = RecordsOfRank(ranks, std::ssize(images), shards, ranks.rank());
  SegmentData data;
  data.source = path;
  auto rows = std::make_shared<FeatureRows>();
  for (std::int64_t k = mine.begin; k < mine.end; ++k) {
    const Index i = images[static_cast<std::size_t>(k)];
    const PreparedImage image = file.image(i);
    if (!potentials) file.CheckFeatures(i);
    data.names.emplace_back(image.name);
    data.examples.push_back(MakeExample(model, image, PointerTo(potentials), rows.get()));
  }
  data.rows = std::move(rows);
  return data;
}

}  // namespace

ImageFormat FormatOf(const FeatureFile& file) {
  return {file.classes(), file.coding(), file.dimension(), file.blocks(),
          std::string(file.extractor())};
}

ImageFormat FormatOf(const FeatureExtractor& extractor, std::vector<std::string> classes,
                     LabelCoding coding) {
  return {std::move(classes), std::move(coding), extractor.dimension(), extractor.blocks(),
          extractor.Save()};
}

LabelCoding CodingOf(const SegmentModel& model) {
  std::vector<std::uint8_t> values;
  for (const std::int64_t value : model.void_values())
    values.push_back(static_cast<std::uint8_t>(value));
  return LabelCoding(std::move(values));
}

SegmentModel MakeSegmentModel(const SegmentChoices& choices, const ImageFormat& format) {
  const bool features = choices.potentials.empty();
  SegmentModel model = features ? SegmentModel(format.classes, format.dimension,
                                               SelectRanges(format.blocks, choices.RegionsText()),
                                               choices.ReadLayers(), choices.ReadPairwise())
                                : SegmentModel::OfPotentials(format.classes, choices.ReadLayers(),
                                                             choices.ReadPairwise());
  if (features) model.extractor = format.extractor;
  const std::vector<std::uint8_t>& values = format.coding.void_values();
  model.set_void_values({values.begin(), values.end()});
  return model;
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

SegmentExample MakeExample(const SegmentModel& model, const ImageFeatures& features,
                           const LabelImage& labels, FeatureRows* rows) {
  const Index num_classes = model.num_classes();
  SegmentExample example;
  example.graph =
      MakeGraph(features.fine.count, features.coarse.count, features.parent, features.neighbours);
  example.first_row = rows->size();
  example.fine_pixels =
      LabelledPixels(ClassPixels(features.fine, labels, num_classes), num_classes);
  example.coarse_pixels =
      LabelledPixels(ClassPixels(features.coarse, labels, num_classes), num_classes);
  AddRows(model, features.fine_rows, rows);
  if (model.has_coarse()) AddRows(model, features.coarse_rows, rows);
  return example;
}

SegmentTask LoadSegmentTask(const std::string& path, const SegmentChoices& choices,
                            std::optional<ScaleKind> scale, Ranks* ranks, Index shards) {
  Ranks& all = RanksOrOne(ranks);
  if (shards <= 0) shards = Index{all.size()};
  if (IsConverted(all, path)) return LoadConvertedTask(path, choices, scale, ranks, shards);
  std::optional<SegmentModel> model;
  SegmentData data;
  OnAllRanks(all, [&] {
    const FeatureFile file(path);
    model = MakeSegmentModel(choices, FormatOf(file));
    data = LoadImages(file, path, *model, choices.potentials, all, shards);
  });
  return MakeSegmentTask(std::move(*model), std::move(data), scale, ranks);
}

PreparedExample LoadImage(const FeatureFile& file, Index i, const SegmentModel& model,
                          const ClassPotentials* potentials) {
  const PreparedImage image = file.image(i);
  if (potentials == nullptr) file.CheckFeatures(i);
  auto rows = std::make_shared<FeatureRows>();
  SegmentExample example = MakeExample(model, image, potentials, rows.get());
  return {std::string(image.name), std::move(example), std::move(rows)};
}

std::vector<Index> TrainingImages(const FeatureFile& file, const std::string& path) {
  std::vector<Index> images = ImagesOf(file, ImageRole::kTrain);
  if (images.empty()) throw DataError(path, 0, "the file has no training images");
  return images;
}

std::vector<PreparedExample> LoadPrepared(const std::string& path, const std::string& potentials,
                                          const SegmentModel& model, ImageRole role,
                                          const Ranks& ranks) {
  std::vector<PreparedExample> examples;
  ForEachPrepared(path, potentials, model, role, ranks,
                  [&](PreparedExample image) { examples.push_back(std::move(image)); });
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

void AddPixels(const LabelImage& truth, const LabelImage& predicted, ConfusionMatrix* confusion) {
  for (std::size_t p = 0; p < truth.labels.size(); ++p) {
    if (truth.labels[p] != kVoid) confusion->Add(truth.labels[p], predicted.labels[p]);
  }
}

void SegmentEvaluation::AddUp(Ranks& ranks) {
  if (ranks.alone()) return;
  confusion.AddUp(ranks);
  images = static_cast<Index>(ranks.SumOf(images));
  certified = static_cast<Index>(ranks.SumOf(certified));
  prepare_seconds = ranks.SumOfReals(prepare_seconds);
  predict_seconds = ranks.SumOfReals(predict_seconds);
}

SegmentEvaluation EvaluatePrepared(const std::string& path, const std::string& potentials,
                                   const SegmentModel& model, DecodeKind decode, Ranks& ranks) {
  SegmentEvaluation total(model.num_classes());
  OnAllRanks(ranks, [&] {
    const auto predict = [&](const PreparedExample& image) {
      const WallTimer timer;
      const SegmentPrediction prediction =
          PredictSegments(model, image.example, image.rows, decode);
      total.predict_seconds += timer.Seconds();
      AddPixels(image.example, prediction.fine, &total.confusion);
      total.certified += prediction.certified() ? 1 : 0;
      ++total.images;
    };
    ForEachPrepared(path, potentials, model, ImageRole::kTest, ranks, predict);
  });
  total.AddUp(ranks);
  if (total.images == 0) throw DataError(path, 0, "the file has no test images");
  return total;
}

bool HasPixels(const ConfusionMatrix& confusion) {
  const std::span<const std::int64_t> counts = confusion.counts();
  return std::any_of(counts.begin(), counts.end(), [](std::int64_t n) { return n > 0; });
}

}  // namespace slackline::internal
