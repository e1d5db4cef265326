// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/images/converted_images.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <slackline/apps/converted/converted_reader.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include <slackline/core/record_deal.h>

namespace slackline::internal {
namespace {

using Border = SegmentGraph::Border;
static_assert(sizeof(Border) == 12 && std::is_trivially_copyable_v<Border>);

/// The numbers that an image begins with: fine and coarse superpixels, pairs of neighbours.
using RegionCounts = std::array<std::int32_t, 3>;

template <class T>
void Append(std::span<const T> values, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void AppendPixels(const std::vector<std::int64_t>& pixels, std::string* bytes) {
  const std::vector<std::int32_t> numbers(pixels.begin(), pixels.end());
  Append(std::span(numbers), bytes);
}

/// Takes arrays from the front of bytes.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  bool Take(std::uint64_t count, std::vector<T>* values) {
    if (count > bytes_.size() / sizeof(T)) return false;
    values->resize(count);
    std::memcpy(values->data(), bytes_.data(), count * sizeof(T));
    bytes_.remove_prefix(count * sizeof(T));
    return true;
  }
  bool TakePixels(std::uint64_t count, std::vector<std::int64_t>* pixels) {
    std::vector<std::int32_t> numbers;
    if (!Take(count, &numbers)) return false;
    pixels->assign(numbers.begin(), numbers.end());
    return std::all_of(numbers.begin(), numbers.end(), [](std::int32_t n) { return n >= 0; });
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

bool GraphIsValid(const SegmentGraph& graph) {
  return std::all_of(graph.parent.begin(), graph.parent.end(),
                     [&](Index parent) { return parent >= 0 && parent < graph.num_coarse; }) &&
         std::all_of(graph.neighbours.begin(), graph.neighbours.end(), [&](const Border& pair) {
           return pair.first >= 0 && pair.first < pair.second && pair.second < graph.num_fine &&
                  std::isfinite(pair.contrast);
         });
}

const ConvertedKind& ImageKind() {
  static const ConvertedKind kind{kConvertedImages,
                                  [](const ConvertedPart&) { return kLabelsVary; },
                                  [](std::string_view labels) { return !labels.empty(); }};
  return kind;
}

/// What a part says about the data, without its images.
struct AboutImages {
  SavedImageFormat format;
  bool has_coarse = false;
};

AboutImages AboutImagesOf(const ConvertedPart& part) {
  const ModelEntries& entries = part.entries;
  AboutImages about;
  RequireClasses(entries, "label_names", part.facts.label_names);
  about.format = LoadImageFormat(entries, part.facts.label_names.size(), true);
  about.has_coarse =
      entries.Choose("layers", {SegmentLayers::kTwo, SegmentLayers::kFine}) == SegmentLayers::kTwo;
  Offset features = 0;
  for (const FeatureRange& range : about.format.ranges) features += range.size;
  entries.Require(part.facts.has_constant && features == part.facts.num_features, "sizes");
  return about;
}

/// Throws DataError unless all parts can be one data set.
AboutImages CommonOfImages(const ConvertedParts& parts) {
  AboutImages common = AboutImagesOf(parts.first());
  for (const ConvertedPart& part : parts.parts) {
    const AboutImages about = AboutImagesOf(part);
    RequireAlike(parts, part, about.format == common.format, "features");
    RequireAlike(parts, part, about.has_coarse == common.has_coarse, "layers");
  }
  return common;
}

/// Throws DataError on choices that do not fit the conversion.
void CheckChoices(const std::string& path, const AboutImages& about, const ConvertedFacts& facts,
                  const SegmentChoices& choices) {
  const auto fail = [&](const std::string& message) { throw DataError(path, 0, message); };
  if (!choices.potentials.empty())
    fail(
        "converted images, which have their features: --potentials needs the file of prepared "
        "images");
  const std::string regions = OptionOf(&facts.values, "regions", "");
  if (!choices.regions.empty() && choices.regions != regions)
    fail("was converted with --regions " + regions + ": convert the images again, with --regions " +
         choices.regions);
  const bool wants_coarse = choices.ReadLayers() != SegmentLayers::kFine;
  if (wants_coarse && !about.has_coarse)
    fail(
        "was converted without coarse superpixels: pass --layers fine, or convert the images "
        "again, with --layers " +
        choices.layers);
  if (!wants_coarse && about.has_coarse)
    fail(
        "was converted with coarse superpixels, which count in the scaling: convert the images "
        "again, with --layers fine");
}

SegmentModel MakeModel(const AboutImages& about, const ConvertedFacts& facts,
                       const SegmentChoices& choices) {
  SegmentModel model(facts.label_names, about.format.dimension, about.format.ranges,
                     choices.ReadLayers(), choices.ReadPairwise());
  model.extractor = about.format.extractor;
  model.set_void_values(about.format.void_values);
  return model;
}

/// Collects the images of a rank from their rows.
class ImageLoader {
 public:
  ImageLoader(const SegmentModel& model, SegmentData* data)
      : num_classes_(model.num_classes()), has_coarse_(model.has_coarse()), data_(*data) {}

  /// Returns whether the row belongs where it is.
  bool Add(const ConvertedRow& row) {
    if (row.begins_example) {
      if (!complete() || !ReadImageBytes(row.labels, num_classes_, &image_)) return false;
      const SegmentGraph& graph = image_.example.graph;
      missing_ = Offset{graph.num_fine} + (has_coarse_ ? graph.num_coarse : 0);
      image_.example.first_row = rows_;
      data_.names.push_back(std::move(image_.name));
      data_.examples.push_back(std::move(image_.example));
      image_ = {};
    }
    ++rows_;
    return --missing_ >= 0;
  }
  /// Whether the last image has all of its rows.
  bool complete() const { return missing_ == 0; }

 private:
  const Index num_classes_;
  const bool has_coarse_;
  SegmentData& data_;
  ConvertedImage image_;
  Index rows_ = 0;
  Offset missing_ = 0;  // rows of the last image
};

}  // namespace

std::string ImageBytes(const ConvertedImage& image) {
  const SegmentGraph& graph = image.example.graph;
  std::string bytes;
  const RegionCounts counts = {graph.num_fine, graph.num_coarse,
                               static_cast<std::int32_t>(graph.neighbours.size())};
  Append(std::span<const std::int32_t>(counts), &bytes);
  Append(std::span(graph.parent), &bytes);
  Append(std::span(graph.neighbours), &bytes);
  AppendPixels(image.example.fine_pixels, &bytes);
  AppendPixels(image.example.coarse_pixels, &bytes);
  return bytes + image.name;
}

bool ReadImageBytes(std::string_view text, Index num_classes, ConvertedImage* image) {
  Bytes bytes(text);
  std::vector<std::int32_t> counts;
  SegmentExample& example = image->example;
  SegmentGraph& graph = example.graph;
  if (!bytes.Take(std::tuple_size_v<RegionCounts>, &counts)) return false;
  if (counts[0] < 1 || counts[1] < 1 || counts[2] < 0) return false;
  graph.num_fine = counts[0];
  graph.num_coarse = counts[1];
  const bool good =
      bytes.Take(Size(graph.num_fine), &graph.parent) &&
      bytes.Take(Size(counts[2]), &graph.neighbours) &&
      bytes.TakePixels(Size(graph.num_fine) * Size(num_classes), &example.fine_pixels) &&
      bytes.TakePixels(Size(graph.num_coarse) * Size(num_classes), &example.coarse_pixels);
  image->name = std::string(bytes.rest());
  return good && GraphIsValid(graph);
}

SegmentTask LoadConvertedTask(const std::string& path, const SegmentChoices& choices,
                              std::optional<ScaleKind> scale, Ranks* ranks, Index shards) {
  Ranks& all = RanksOrOne(ranks);
  const std::vector<std::string> files = ConvertedFiles(all, path);
  std::optional<SegmentModel> model;
  SegmentData data;
  OnAllRanks(all, [&] {
    const ConvertedParts parts = OpenConverted(files, ImageKind());
    const AboutImages about = CommonOfImages(parts);
    CheckChoices(path, about, parts.first().facts, choices);
    model = MakeModel(about, parts.first().facts, choices);
    data.source = path;
    ImageLoader loader(*model, &data);
    ConvertedValues values;
    data.rows = LoadConvertedRows(
        parts, ImageKind(), RecordsOfRank(all, parts.num_examples(), shards, all.rank()),
        [&](const ConvertedRow& row) { return loader.Add(row); }, &values);
    if (!loader.complete())
      throw DataError(path, 0, "the converted data are damaged: an image lacks superpixels");
    data.converted = std::make_shared<const ConvertedValues>(std::move(values));
  });
  return MakeSegmentTask(std::move(*model), std::move(data), scale, ranks);
}

void FinishConverted(const SegmentModel& model, const ConvertedValues& values, WindowChoice windows,
                     ConvertedWriter* writer) {
  ModelWriter directory;
  directory.Add("task", std::string(kConvertedImages));
  directory.Add("layers",
                std::string(Name(model.has_coarse() ? SegmentLayers::kTwo : SegmentLayers::kFine)));
  SaveImageFormat(model, &directory);
  writer->Finish({model.classes(), model.num_features(), true, values, windows, {}, 0}, directory);
}

}  // namespace slackline::internal
