// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/feature_file.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <slackline/core/file_map.h>
#include <slackline/vision/byte_stream.h>

namespace slackline::internal {
namespace {

constexpr std::string_view kFeatureMagic = "SLACKFEA";
constexpr std::uint64_t kAlignment = 16;
/// Version 2 adds the coding of label images. A file whose label images hold class numbers stays at
/// version 1, which older programs can read.
constexpr std::uint32_t kVersionWithCoding = 2;
constexpr std::uint64_t kMostClasses = 255;
constexpr std::uint64_t kMostDimensions = std::uint64_t{1} << 24;
constexpr float kHalfOverflow =
    65520;  // the smallest float that rounds to infinity in half precision

// Arrays are read in place from the memory map, so these types must have the layout of the file.
static_assert(sizeof(Index) == 4 && sizeof(NeighbourPair) == 16 && sizeof(float) == 4);
static_assert(std::is_trivially_copyable_v<NeighbourPair> &&
              std::is_standard_layout_v<NeighbourPair>);

struct Header {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t zero;
  std::uint64_t length;  // of the file
  std::uint64_t directory_begin;
  std::uint64_t zeros[3];
  std::uint32_t directory_checksum;
  std::uint32_t checksum;  // of all members before this one
};
static_assert(sizeof(Header) == 64);
constexpr std::size_t kCheckedHeader = offsetof(Header, checksum);

template <class T>
std::string_view BytesOf(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

std::uint32_t HeaderChecksum(const Header& header) {
  return Crc32(BytesOf(&header, 1).substr(0, kCheckedHeader));
}

constexpr std::uint64_t Aligned(std::uint64_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

/// The directory entry of one image.
struct Entry {
  std::string_view name;
  std::uint8_t role = 0;
  Index width = 0, height = 0, num_fine = 0, num_coarse = 0;
  std::uint64_t num_neighbours = 0;
  std::uint64_t begin = 0;  // offset of the image's arrays
  std::uint32_t checksum = 0;
  std::uint32_t features_checksum = 0;
};

void WriteEntry(const Entry& entry, ByteWriter* out) {
  out->Text(entry.name);
  out->Number(entry.role);
  for (const Index number : {entry.width, entry.height, entry.num_fine, entry.num_coarse})
    out->Number(number);
  out->Number(entry.num_neighbours);
  out->Number(entry.begin);
  out->Number(entry.checksum);
  out->Number(entry.features_checksum);
}

Entry ReadEntry(ByteReader* in) {
  Entry entry;
  entry.name = in->Text();
  entry.role = in->Number<std::uint8_t>();
  for (Index* number : {&entry.width, &entry.height, &entry.num_fine, &entry.num_coarse}) {
    *number = in->Number<Index>();
  }
  entry.num_neighbours = in->Number<std::uint64_t>();
  entry.begin = in->Number<std::uint64_t>();
  entry.checksum = in->Number<std::uint32_t>();
  entry.features_checksum = in->Number<std::uint32_t>();
  return entry;
}

/// The offsets of an image's arrays in the file.
struct ArrayOffsets {
  ArrayOffsets(const Entry& entry, std::uint64_t columns, std::uint64_t dimension) {
    const auto fine = static_cast<std::uint64_t>(entry.num_fine);
    const auto coarse = static_cast<std::uint64_t>(entry.num_coarse);
    parent = entry.begin;
    neighbours = Aligned(parent + 4 * fine);
    fine_pixels = neighbours + 16 * entry.num_neighbours;
    coarse_pixels = Aligned(fine_pixels + 4 * fine * columns);
    fine_features = Aligned(coarse_pixels + 4 * coarse * columns);
    coarse_features = Aligned(fine_features + 2 * fine * dimension);
    end = Aligned(coarse_features + 2 * coarse * dimension);
  }
  std::uint64_t parent, neighbours, fine_pixels, coarse_pixels, fine_features, coarse_features, end;
};

/// Whether the counts of an entry are valid and so small that no sum of ArrayOffsets overflows.
bool HasValidCounts(const Entry& entry) {
  const Offset pixels = Offset{entry.width} * entry.height;
  return !entry.name.empty() && entry.role <= 1 && entry.width >= 1 && entry.height >= 1 &&
         pixels <= kLargestImage && entry.num_fine >= 1 && entry.num_fine <= pixels &&
         entry.num_coarse >= 1 && entry.num_coarse <= pixels &&
         entry.num_neighbours <= 4 * static_cast<std::uint64_t>(pixels);
}

/// Throws DataError unless the bytes are a whole file of this kind and version.
Header CheckFrame(const std::string& path, std::string_view bytes) {
  const std::size_t known = std::min(bytes.size(), kFeatureMagic.size());
  if (known == 0 || bytes.substr(0, known) != kFeatureMagic.substr(0, known)) {
    throw DataError(path, 0, "not a Slackline feature file");
  }
  const auto truncated = [&](const std::string& expected) {
    throw DataError(path, 0,
                    "the feature file is truncated: expected " + expected + " bytes, found " +
                        std::to_string(bytes.size()));
  };
  if (bytes.size() < sizeof(Header)) truncated("at least " + std::to_string(sizeof(Header)));
  Header header;
  std::memcpy(&header, bytes.data(), sizeof(Header));
  if (header.version > kFeatureFileVersion) {
    throw DataError(path, 0,
                    "written by a newer version: its format is " + std::to_string(header.version) +
                        ", this program reads formats up to " +
                        std::to_string(kFeatureFileVersion));
  }
  if (header.version == 0 || header.checksum != HeaderChecksum(header)) {
    throw DataError(path, 0,
                    "the feature file is damaged: the checksum of its header does not match");
  }
  if (bytes.size() < header.length) truncated(std::to_string(header.length));
  if (bytes.size() > header.length) {
    throw DataError(path, 0,
                    "the feature file is too long: expected " + std::to_string(header.length) +
                        " bytes, found " + std::to_string(bytes.size()));
  }
  return header;
}

}  // namespace

struct FeatureFile::State {
  explicit State(const std::string& file_path) : path(file_path), map({file_path}) {}

  [[noreturn]] void Fail(const std::string& what) const {
    throw DataError(path, 0, "the feature file is damaged: " + what);
  }
  void ReadDirectory(ByteReader* in);
  void ReadCoding(ByteReader* in);
  void ReadImages(ByteReader* in, std::uint64_t directory_begin);
  void CheckArrays(Index i) const;
  ArrayOffsets OffsetsOf(const Entry& entry) const {
    return {entry, classes.size() + 1, static_cast<std::uint64_t>(dimension)};
  }
  PreparedImage Image(Index i) const;

  template <class T>
  std::span<const T> Array(std::uint64_t begin, std::uint64_t count) const {
    return {reinterpret_cast<const T*>(map.bytes(0).data() + begin), count};
  }

  std::string path;
  FileMap map;
  std::vector<std::string> classes;
  Index dimension = 0;
  std::vector<FeatureBlock> blocks;
  std::string_view extractor;
  LabelCoding coding;
  std::vector<Entry> images;
};

void FeatureFile::State::ReadDirectory(ByteReader* in) {
  const auto num_classes = in->Number<std::uint64_t>();
  if (num_classes > kMostClasses) throw BadBytes{};
  for (std::uint64_t k = 0; k < num_classes; ++k) classes.emplace_back(in->Text());
  const auto dimensions = in->Number<std::uint64_t>();
  if (dimensions == 0 || dimensions > kMostDimensions) throw BadBytes{};
  dimension = static_cast<Index>(dimensions);
  const auto num_blocks = in->Number<std::uint64_t>();
  Index end = 0;
  for (std::uint64_t k = 0; k < num_blocks; ++k) {
    FeatureBlock block{std::string(in->Text()), end, in->Number<Index>()};
    if (block.size < 0 || block.size > dimension - end) throw BadBytes{};
    end += block.size;
    blocks.push_back(std::move(block));
  }
  if (end != dimension) throw BadBytes{};
  extractor = in->Text();
}

void FeatureFile::State::ReadCoding(ByteReader* in) {
  const std::string_view bytes = in->Text();
  std::vector<std::uint8_t> values(bytes.begin(), bytes.end());
  const bool rising = std::is_sorted(values.begin(), values.end(), std::less_equal<>());
  if (values.empty() || !rising || values.size() + classes.size() > 256) throw BadBytes{};
  coding = LabelCoding(std::move(values));
}

void FeatureFile::State::ReadImages(ByteReader* in, std::uint64_t directory_begin) {
  const auto num_images = in->Number<std::uint64_t>();
  std::uint64_t end = sizeof(Header);
  for (std::uint64_t i = 0; i < num_images; ++i) {
    const Entry entry = ReadEntry(in);
    if (!HasValidCounts(entry) || entry.begin != end) throw BadBytes{};
    end = OffsetsOf(entry).end;
    if (end > directory_begin) throw BadBytes{};
    images.push_back(entry);
  }
  if (end != directory_begin || !in->empty()) throw BadBytes{};
}

/// Checks all arrays of an image except the features.
void FeatureFile::State::CheckArrays(Index i) const {
  const Entry& entry = images[i];
  const ArrayOffsets offsets = OffsetsOf(entry);
  const std::string of = " of image '" + std::string(entry.name) + "'";
  if (Crc32(map.bytes(0).substr(offsets.parent, offsets.fine_features - offsets.parent)) !=
      entry.checksum) {
    Fail("the checksum" + of + " does not match");
  }
  const PreparedImage image = Image(i);
  for (const std::int32_t parent : image.parent) {
    if (parent < 0 || parent >= image.num_coarse) Fail("a parent" + of + " is out of range");
  }
  for (const NeighbourPair& pair : image.neighbours) {
    const bool good = pair.first >= 0 && pair.first < pair.second && pair.second < image.num_fine &&
                      pair.border >= 0 && std::isfinite(pair.contrast);
    if (!good) Fail("a pair of neighbours" + of + " is out of range");
  }
  for (const auto pixels : {image.fine_pixels, image.coarse_pixels}) {
    for (const std::int32_t count : pixels) {
      if (count < 0) Fail("a number of pixels" + of + " is negative");
    }
  }
}

PreparedImage FeatureFile::State::Image(Index i) const {
  const Entry& entry = images[i];
  const ArrayOffsets offsets = OffsetsOf(entry);
  const auto fine = static_cast<std::uint64_t>(entry.num_fine);
  const auto coarse = static_cast<std::uint64_t>(entry.num_coarse);
  const std::uint64_t columns = classes.size() + 1;
  const auto width = static_cast<std::uint64_t>(dimension);
  PreparedImage image;
  image.name = entry.name;
  image.role = static_cast<ImageRole>(entry.role);
  image.width = entry.width;
  image.height = entry.height;
  image.num_fine = entry.num_fine;
  image.num_coarse = entry.num_coarse;
  image.parent = Array<std::int32_t>(offsets.parent, fine);
  image.neighbours = Array<NeighbourPair>(offsets.neighbours, entry.num_neighbours);
  image.fine_pixels = Array<std::int32_t>(offsets.fine_pixels, fine * columns);
  image.coarse_pixels = Array<std::int32_t>(offsets.coarse_pixels, coarse * columns);
  image.fine_features = Array<std::uint16_t>(offsets.fine_features, fine * width);
  image.coarse_features = Array<std::uint16_t>(offsets.coarse_features, coarse * width);
  return image;
}

FeatureFile::FeatureFile(const std::string& path) : state_(std::make_unique<State>(path)) {
  State& state = *state_;
  const std::string_view bytes = state.map.bytes(0);
  const Header header = CheckFrame(path, bytes);
  const std::uint64_t begin = header.directory_begin;
  if (begin < sizeof(Header) || begin > bytes.size() || begin % kAlignment != 0) {
    state.Fail("its directory is out of range");
  }
  const std::string_view directory = bytes.substr(begin);
  if (Crc32(directory) != header.directory_checksum)
    state.Fail("the checksum of its directory does not match");
  try {
    ByteReader in(directory);
    state.ReadDirectory(&in);
    if (header.version >= kVersionWithCoding) state.ReadCoding(&in);
    state.ReadImages(&in, begin);
  } catch (const BadBytes&) {
    state.Fail("its directory is inconsistent");
  }
  for (Index i = 0; i < num_images(); ++i) state.CheckArrays(i);
}

FeatureFile::~FeatureFile() = default;

const std::vector<std::string>& FeatureFile::classes() const { return state_->classes; }
const LabelCoding& FeatureFile::coding() const { return state_->coding; }
Index FeatureFile::dimension() const { return state_->dimension; }
const std::vector<FeatureBlock>& FeatureFile::blocks() const { return state_->blocks; }
std::string_view FeatureFile::extractor() const { return state_->extractor; }
Index FeatureFile::num_images() const { return static_cast<Index>(state_->images.size()); }

PreparedImage FeatureFile::image(Index i) const {
  SLACKLINE_CHECK(i >= 0 && i < num_images(), "no image of this number");
  return state_->Image(i);
}

void FeatureFile::CheckFeatures(Index i) const {
  const PreparedImage prepared = image(i);
  const Entry& entry = state_->images[i];
  const ArrayOffsets offsets = state_->OffsetsOf(entry);
  const std::string of = " of image '" + std::string(entry.name) + "'";
  const std::string_view bytes =
      state_->map.bytes(0).substr(offsets.fine_features, offsets.end - offsets.fine_features);
  if (Crc32(bytes) != entry.features_checksum) {
    state_->Fail("the checksum of the features" + of + " does not match");
  }
  for (const auto features : {prepared.fine_features, prepared.coarse_features}) {
    for (const std::uint16_t half : features) {
      if ((half & 0x7c00) == 0x7c00) state_->Fail("a feature" + of + " is not finite");
    }
  }
}

struct FeatureFileWriter::State {
  State(const std::string& path, std::vector<std::string> class_names, Index dimensions)
      : file(path), classes(std::move(class_names)), dimension(dimensions) {}

  void Write(std::string_view bytes) {
    checksum = Crc32(bytes, checksum);
    file.Write(bytes);
    position += bytes.size();
  }
  template <class T>
  void WriteArray(const std::vector<T>& values) {
    Write(BytesOf(values.data(), values.size()));
    Write(std::string(Aligned(position) - position, '\0'));
  }
  void WriteHalves(const std::vector<float>& values) {
    std::vector<std::uint16_t> halves(values.size());
    for (std::size_t k = 0; k < values.size(); ++k) halves[k] = ToHalf(values[k]);
    WriteArray(halves);
  }
  /// The checksum of everything written since the last call.
  std::uint32_t TakeChecksum() { return std::exchange(checksum, 0); }

  AtomicFile file;
  std::vector<std::string> classes;
  Index dimension;
  std::uint64_t position = 0;
  std::uint32_t checksum = 0;
  ByteWriter head;    // of the directory
  ByteWriter images;  // of the directory
  std::uint64_t num_images = 0;
  std::uint32_t version = 1;
  bool finished = false;
};

FeatureFileWriter::FeatureFileWriter(const std::string& path, std::vector<std::string> classes,
                                     Index dimension, const std::vector<FeatureBlock>& blocks,
                                     std::string_view extractor) {
  SLACKLINE_CHECK(!classes.empty() && classes.size() <= kMostClasses,
                  "1 to 255 classes are possible");
  SLACKLINE_CHECK(dimension >= 1 && static_cast<std::uint64_t>(dimension) <= kMostDimensions,
                  "features have 1 to 2^24 dimensions");
  state_ = std::make_unique<State>(path, std::move(classes), dimension);
  ByteWriter* head = &state_->head;
  head->Number<std::uint64_t>(state_->classes.size());
  for (const std::string& name : state_->classes) head->Text(name);
  head->Number(static_cast<std::uint64_t>(dimension));
  head->Number<std::uint64_t>(blocks.size());
  Index end = 0;
  for (const FeatureBlock& block : blocks) {
    SLACKLINE_CHECK(block.begin == end && block.size >= 0, "blocks must follow each other");
    end += block.size;
    head->Text(block.name);
    head->Number(block.size);
  }
  SLACKLINE_CHECK(end == dimension, "blocks must cover the features");
  head->Text(extractor);
  state_->Write(std::string(sizeof(Header), '\0'));
}

FeatureFileWriter::~FeatureFileWriter() = default;

void FeatureFileWriter::SetCoding(const LabelCoding& coding) {
  State& state = *state_;
  SLACKLINE_CHECK(!state.finished && state.version == 1, "the coding of labels is noted once");
  SLACKLINE_CHECK(static_cast<Index>(state.classes.size()) <= coding.most_classes(),
                  "the coding has fewer classes");
  if (coding.plain()) return;
  state.version = kVersionWithCoding;
  const std::vector<std::uint8_t>& values = coding.void_values();
  state.head.Text(std::string(values.begin(), values.end()));
}

void FeatureFileWriter::Add(const std::string& name, ImageRole role, const ImageFeatures& features,
                            const LabelImage& labels) {
  State& state = *state_;
  SLACKLINE_CHECK(!state.finished, "the feature file is finished");
  const auto possible = [](float value) { return std::abs(value) < kHalfOverflow; };
  for (const auto* rows : {&features.fine_rows, &features.coarse_rows}) {
    SLACKLINE_CHECK(std::all_of(rows->begin(), rows->end(), possible),
                    "a feature of '" + name + "' has no half precision");
  }
  const Superpixels& fine = features.fine;
  const auto length = [&](Index count) { return Offset{count} * state.dimension; };
  SLACKLINE_CHECK(std::ssize(features.fine_rows) == length(fine.count) &&
                      std::ssize(features.coarse_rows) == length(features.coarse.count),
                  "features of '" + name + "' have another dimension");
  SLACKLINE_CHECK(labels.width == fine.width && labels.height == fine.height,
                  "labels of '" + name + "' have another size than the image");
  Entry entry{name,       static_cast<std::uint8_t>(role),
              fine.width, fine.height,
              fine.count, features.coarse.count};
  entry.num_neighbours = features.neighbours.size();
  entry.begin = state.position;
  SLACKLINE_CHECK(HasValidCounts(entry), "'" + name + "' has no name or no superpixels");
  const auto num_classes = static_cast<Index>(state.classes.size());
  state.TakeChecksum();
  state.WriteArray(features.parent);
  state.WriteArray(features.neighbours);
  state.WriteArray(ClassPixels(fine, labels, num_classes));
  state.WriteArray(ClassPixels(features.coarse, labels, num_classes));
  entry.checksum = state.TakeChecksum();
  state.WriteHalves(features.fine_rows);
  state.WriteHalves(features.coarse_rows);
  entry.features_checksum = state.TakeChecksum();
  WriteEntry(entry, &state.images);
  ++state.num_images;
}

void FeatureFileWriter::Finish() {
  State& state = *state_;
  SLACKLINE_CHECK(!state.finished, "the feature file is finished");
  Header header{};
  std::memcpy(header.magic.data(), kFeatureMagic.data(), kFeatureMagic.size());
  header.version = state.version;
  header.directory_begin = state.position;
  state.TakeChecksum();
  state.head.Number(state.num_images);
  state.Write(state.head.bytes());
  state.Write(state.images.bytes());
  header.directory_checksum = state.TakeChecksum();
  header.length = state.position;
  header.checksum = HeaderChecksum(header);
  state.file.Rewrite(0, BytesOf(&header, 1));
  state.file.Commit();
  state.finished = true;
}

}  // namespace slackline::internal
