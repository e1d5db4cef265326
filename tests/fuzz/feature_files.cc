// SPDX-License-Identifier: BSD-3-Clause
//
// Files of prepared images (docs/reference/feature_file.md) with valid checksums.
#include <slackline/vision/feature_file.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include <slackline/core/atomic_file.h>
#include <slackline/vision/byte_stream.h>

#include "tests/core/temporary_folder.h"
#include "tests/fuzz/target.h"
#include "tests/vision/feature_file_bytes.h"

namespace slackline::internal::fuzz {
namespace {

constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kLengthAt = 16;
constexpr std::size_t kDirectoryAt = 24;
constexpr std::size_t kDirectoryChecksumAt = 56;
constexpr std::size_t kHeaderChecksumAt = 60;

constexpr std::uint64_t Aligned(std::uint64_t offset) { return (offset + 15) / 16 * 16; }

/// Sets the checksums of one image's arrays: of those before its features, and of the features.
/// `in` is at the entry of the image.
void SealImage(std::uint64_t columns, std::uint64_t dimension, ByteReader* in, std::string* bytes) {
  in->Text();
  in->Number<std::uint8_t>();
  in->Number<std::uint64_t>();  // width and height
  const std::uint64_t fine = in->Number<std::uint32_t>();
  const std::uint64_t coarse = in->Number<std::uint32_t>();
  const auto neighbours = in->Number<std::uint64_t>();
  const auto begin = in->Number<std::uint64_t>();
  const std::size_t at = bytes->size() - in->size();
  in->Number<std::uint64_t>();
  const std::uint64_t most = bytes->size();
  if (fine > most || coarse > most || neighbours > most || begin > most || dimension > most)
    throw BadBytes{};
  const std::uint64_t pixels = Aligned(begin + 4 * fine) + 16 * neighbours;
  const std::uint64_t features =
      Aligned(Aligned(pixels + 4 * fine * columns) + 4 * coarse * columns);
  const std::uint64_t end =
      Aligned(Aligned(features + 2 * fine * dimension) + 2 * coarse * dimension);
  if (end > at) throw BadBytes{};
  const std::string_view all(*bytes);
  test::Put(Crc32(all.substr(begin, features - begin)), at, bytes);
  test::Put(Crc32(all.substr(features, end - features)), at + 4, bytes);
}

/// Sets the checksums as far as the directory can be read.
void SealDirectory(std::uint64_t begin, std::string* bytes) {
  const std::string copy = bytes->substr(begin);
  ByteReader in(copy);
  // Positions are counted from the end, which is common to the copy and the file.
  const auto num_classes = in.Number<std::uint64_t>();
  for (std::uint64_t k = 0; k < num_classes; ++k) in.Text();
  const auto dimension = in.Number<std::uint64_t>();
  const auto num_blocks = in.Number<std::uint64_t>();
  for (std::uint64_t k = 0; k < num_blocks; ++k) {
    in.Text();
    in.Number<Index>();
  }
  in.Text();
  const auto num_images = in.Number<std::uint64_t>();
  for (std::uint64_t i = 0; i < num_images; ++i) SealImage(num_classes + 1, dimension, &in, bytes);
}

std::string Sealed(std::string_view input) {
  std::string bytes(input);
  if (bytes.size() < kHeaderBytes) return bytes;
  test::Put<std::uint64_t>(bytes.size(), kLengthAt, &bytes);
  const auto begin = test::Take<std::uint64_t>(bytes, kDirectoryAt);
  if (begin >= kHeaderBytes && begin <= bytes.size()) {
    try {
      SealDirectory(begin, &bytes);
    } catch (const BadBytes&) {
    }
    test::Put(Crc32(std::string_view(bytes).substr(begin)), kDirectoryChecksumAt, &bytes);
  }
  test::Put(Crc32(std::string_view(bytes).substr(0, kHeaderChecksumAt)), kHeaderChecksumAt, &bytes);
  return bytes;
}

std::vector<std::string> FeatureFileSeeds() {
  const test::TemporaryFolder folder;
  FeatureFileWriter writer(folder.Path("a.fea"), {"sky", "ground"}, 3,
                           {{"own/a", 0, 2}, {"image/b", 2, 1}}, "extractor");
  for (const Index width : {3, 6}) {
    ImageFeatures features;
    features.fine = test::SuperpixelStripes(width, 4, 3);
    features.coarse = test::SuperpixelStripes(width, 4, 2);
    features.parent = {0, 0, 1};
    features.neighbours = {{0, 1, width, 0.5f}, {1, 2, width, 2.f}};
    features.fine_rows.assign(9, 0.5f);
    features.coarse_rows.assign(6, -1.f);
    LabelImage labels{width, 4, std::vector<std::uint8_t>(4 * width, 1)};
    writer.Add("image" + std::to_string(width), ImageRole::kTrain, features, labels);
  }
  writer.Finish();
  return {test::ReadBytes(folder.Path("a.fea"))};
}

void ReadFeatureFile(std::string_view input) {
  const FeatureFile file(PathOf(Sealed(input)));
  if (!std::isfinite(test::SumOfAll(file)))
    throw std::logic_error("a feature file has numbers that are not finite");
}

const FuzzTarget kFeatureFile({"feature_file", ReadFeatureFile, FeatureFileSeeds});

}  // namespace
}  // namespace slackline::internal::fuzz
