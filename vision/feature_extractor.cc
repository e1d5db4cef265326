// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/feature_extractor.h>

#include <algorithm>
#include <cmath>

#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <slackline/vision/extractor_state.h>
#include <slackline/vision/filters.h>
#include <slackline/vision/half.h>

namespace slackline::internal {
namespace {

constexpr Index kMostDescribedPixels = 320'000;
constexpr float kMostDeviations = 6;  // larger shape values are clipped
constexpr std::string_view kExtractorMagic = "SLACKEXT";
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kVersionWithoutLimit = 1;  ///< of extractors without at_most
constexpr std::size_t kChecksumBytes = 4;

/// Copies `count` rows into columns of wider rows. A single row is copied into every wide row.
void CopyColumns(const std::vector<float>& rows, Index columns, Index count, Index begin,
                 Index dimension, std::vector<float>* to) {
  const bool one = std::ssize(rows) == columns;
  for (Index s = 0; s < count; ++s) {
    const float* from = rows.data() + (one ? 0 : Offset{s} * columns);
    std::copy_n(from, columns, to->data() + Offset{s} * dimension + begin);
  }
}

}  // namespace

WorkingImage::WorkingImage(const Image& image) : image_(image), lab_(ToLab(image)) {
  const auto pixels = [&] {
    return Offset{(image.width - 1) / factor_ + 1} * ((image.height - 1) / factor_ + 1);
  };
  while (pixels() > kMostDescribedPixels) ++factor_;
  if (factor_ == 1) return;
  small_ = Reduced(image, factor_);
  small_lab_ = ToLab(small_);
}

std::vector<Index> WorkingImage::SuperpixelOfDescribed(const Superpixels& superpixels) const {
  if (factor_ == 1) return superpixels.of_pixel;
  std::vector<Index> of_pixel;
  of_pixel.reserve(small_.num_pixels());
  for (Index y = 0; y < small_.height; ++y) {
    const Index from_y = std::min(y * factor_ + factor_ / 2, image_.height - 1);
    for (Index x = 0; x < small_.width; ++x) {
      const Index from_x = std::min(x * factor_ + factor_ / 2, image_.width - 1);
      of_pixel.push_back(superpixels.of_pixel[Offset{from_y} * image_.width + from_x]);
    }
  }
  return of_pixel;
}

void BlockMap::Pack() {
  const std::size_t size = mean.size();
  std::vector<float> columns(axes.size());
  std::vector<float> bias(axes.size() / size);
  for (std::size_t k = 0; k < bias.size(); ++k) {
    double dot = 0;
    for (std::size_t d = 0; d < size; ++d) {
      columns[k * size + d] = scale * axes[k * size + d];
      dot += static_cast<double>(columns[k * size + d]) * mean[d];
    }
    bias[k] = static_cast<float>(-dot);
  }
  packed = PackedColumns(columns, bias, inputs());
}

std::vector<ImageWords> ExtractorState::FindWords(const WorkingImage& working,
                                                  const StepCheck& check) const {
  std::vector<ImageWords> all;
  for (std::size_t k = 0; k < specs().size(); ++k) {
    CheckStep(check);
    Descriptors found = Describe(working.described(), specs()[k]);
    ImageWords words{specs()[k].words, std::move(found.pixels), std::move(found.words)};
    if (specs()[k].size > 0) words.words = vocabularies[k].Words(found.values);
    all.push_back(std::move(words));
  }
  return all;
}

LayerRows ExtractorState::MakeRows(const WorkingImage& working, const Superpixels& superpixels,
                                   const std::vector<NeighbourPair>& neighbours,
                                   const std::vector<ImageWords>& words) {
  const std::vector<Index> of_pixel = working.SuperpixelOfDescribed(superpixels);
  LayerRows rows;
  for (const ImageWords& kind : words) {
    PlacedWords placed{kind.num_words, {}, kind.words};
    for (const Index pixel : kind.pixels) placed.superpixels.push_back(of_pixel[pixel]);
    std::vector<float> own = CountWords(placed, superpixels.count);
    rows[1].push_back(NeighbourSums(own, kind.num_words, superpixels.count, neighbours));
    rows[2].push_back(RowSum(own, kind.num_words));
    rows[0].push_back(std::move(own));
    for (auto& region : rows) TakeRoots(kind.num_words, &region.back());
  }
  return rows;
}

std::vector<float> ExtractorState::Features(const WorkingImage& working,
                                            const Superpixels& superpixels,
                                            const std::vector<NeighbourPair>& neighbours,
                                            const std::vector<ImageWords>& words) const {
  const LayerRows rows = MakeRows(working, superpixels, neighbours, words);
  std::vector<float> features(Offset{superpixels.count} * dimension);
  std::vector<float> block;
  const auto put = [&](std::size_t m, const std::vector<float>& from) {
    const BlockMap& map = maps[m];
    const auto count = static_cast<Index>(from.size() / map.mean.size());
    block.resize(Offset{count} * map.outputs());
    Multiply(map.packed, from.data(), count, block.data());
    if (m + 1 == maps.size()) {
      const float most = kMostDeviations * map.scale;
      for (float& value : block) value = std::clamp(value, -most, most);
    }
    CopyColumns(block, map.outputs(), superpixels.count, blocks[m].begin, dimension, &features);
  };
  std::size_t m = 0;
  for (const auto& region : rows) {
    for (const auto& histograms : region) put(m++, histograms);
  }
  put(m, ShapeValues(working.image(), working.lab(), superpixels));
  // Feature files hold half precision. Rounding here gives prediction from an image the same
  // numbers that training read from a file.
  RoundToHalf(features);
  return features;
}

void ExtractorState::NameBlocks() {
  std::vector<std::string> names;
  for (const std::string_view region : kRegionNames) {
    for (const DescriptorSpec& spec : specs())
      names.push_back(std::string(region) + "/" + std::string(spec.name));
  }
  names.emplace_back("own/shape");
  blocks.clear();
  dimension = 0;
  for (std::size_t m = 0; m < maps.size(); ++m) {
    blocks.push_back({names[m], dimension, maps[m].outputs()});
    dimension += maps[m].outputs();
  }
}

FeatureExtractor::FeatureExtractor(std::unique_ptr<State> state) : state_(std::move(state)) {}
FeatureExtractor::FeatureExtractor(FeatureExtractor&&) noexcept = default;
FeatureExtractor& FeatureExtractor::operator=(FeatureExtractor&&) noexcept = default;
FeatureExtractor::~FeatureExtractor() = default;

const ExtractorOptions& FeatureExtractor::options() const { return state_->options; }
Index FeatureExtractor::dimension() const { return state_->dimension; }
const std::vector<FeatureBlock>& FeatureExtractor::blocks() const { return state_->blocks; }

ImageFeatures FeatureExtractor::Extract(const Image& image, const StepCheck& check) const {
  const State& state = *state_;
  const WorkingImage working(image);
  ImageFeatures features;
  CheckStep(check);
  features.fine = Slic(image, state.options.fine, state.options.at_most);
  CheckStep(check);
  features.coarse = Slic(image, state.options.coarse, state.options.at_most);
  features.parent = Parents(features.fine, features.coarse);
  features.neighbours = Neighbours(image, features.fine);
  const std::vector<ImageWords> words = state.FindWords(working, check);
  features.fine_rows = state.Features(working, features.fine, features.neighbours, words);
  features.coarse_rows =
      state.Features(working, features.coarse, Neighbours(image, features.coarse), words);
  return features;
}

std::string FeatureExtractor::Save() const {
  const State& state = *state_;
  ByteWriter out;
  for (const char c : kExtractorMagic) out.Number(c);
  out.Number(state.options.at_most ? kVersion : kVersionWithoutLimit);
  out.Number(state.options.fine);
  out.Number(state.options.coarse);
  out.Number(static_cast<std::uint32_t>(state.options.features));
  out.Number(state.options.seed);
  for (const Vocabulary& vocabulary : state.vocabularies) vocabulary.Write(&out);
  for (const BlockMap& map : state.maps) {
    out.Floats(map.mean);
    out.Floats(map.axes);
    out.Number(map.scale);
  }
  out.Number(Crc32(out.bytes()));
  return out.bytes();
}

namespace {

ExtractorOptions ReadOptions(std::uint32_t version, ByteReader* in) {
  ExtractorOptions options;
  options.fine = in->Number<Index>();
  options.coarse = in->Number<Index>();
  options.at_most = version > kVersionWithoutLimit;
  const auto features = in->Number<std::uint32_t>();
  options.seed = in->Number<std::uint64_t>();
  if (options.fine < 1 || options.coarse < 1 ||
      features > static_cast<std::uint32_t>(FeatureSet::kSmall)) {
    throw BadBytes{};
  }
  options.features = static_cast<FeatureSet>(features);
  return options;
}

BlockMap ReadMap(Index inputs, ByteReader* in) {
  BlockMap map;
  map.mean = in->Floats();
  map.axes = in->Floats();
  map.scale = in->Number<float>();
  const std::size_t size = inputs;
  const auto finite = [](float value) { return std::isfinite(value); };
  const bool good =
      map.mean.size() == size && !map.axes.empty() && map.axes.size() % size == 0 &&
      map.axes.size() / size <= size && std::all_of(map.mean.begin(), map.mean.end(), finite) &&
      std::all_of(map.axes.begin(), map.axes.end(), finite) && finite(map.scale) && map.scale >= 0;
  if (!good) throw BadBytes{};
  map.Pack();
  return map;
}

}  // namespace

FeatureExtractor FeatureExtractor::Load(std::string_view bytes) {
  if (bytes.size() < kExtractorMagic.size() + 4 + kChecksumBytes ||
      bytes.substr(0, kExtractorMagic.size()) != kExtractorMagic) {
    throw DataError("not a feature extractor, or truncated");
  }
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  ByteReader in(body.substr(kExtractorMagic.size()));
  const auto version = in.Number<std::uint32_t>();
  if (version > kVersion) {
    throw DataError("the feature extractor was written by a newer version: its format is " +
                    std::to_string(version) + ", this program reads formats up to " +
                    std::to_string(kVersion));
  }
  if (Crc32(body) != ByteReader(bytes.substr(body.size())).Number<std::uint32_t>()) {
    throw DataError("the feature extractor is damaged: its checksum does not match");
  }
  auto state = std::make_unique<State>();
  try {
    state->options = ReadOptions(version, &in);
    for (const DescriptorSpec& spec : state->specs()) {
      state->vocabularies.push_back(Vocabulary::Read(spec, &in));
    }
    for (std::size_t r = 0; r < kRegionNames.size(); ++r) {
      for (const DescriptorSpec& spec : state->specs())
        state->maps.push_back(ReadMap(spec.words, &in));
    }
    state->maps.push_back(ReadMap(kShapeValues, &in));
    if (!in.empty() || version == 0 || state->maps.back().outputs() != kShapeValues)
      throw BadBytes{};
  } catch (const BadBytes&) {
    throw DataError("the feature extractor is damaged: its sizes do not fit together");
  }
  state->NameBlocks();
  return FeatureExtractor(std::move(state));
}

}  // namespace slackline::internal
