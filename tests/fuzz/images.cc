// SPDX-License-Identifier: BSD-3-Clause
//
// Images, and the feature extractors inside models and feature files.
#include <slackline/vision/image.h>

#include <zlib.h>

#include <stdexcept>

#include <slackline/core/check.h>
#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/png_file.h>

#include "tests/core/temporary_folder.h"
#include "tests/fuzz/target.h"
#include "tests/vision/image_files.h"

namespace slackline::internal::fuzz {
namespace {

std::vector<std::uint8_t> Ramp(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t k = 0; k < count; ++k) bytes[k] = static_cast<std::uint8_t>(37 * k + k / 3);
  return bytes;
}

std::vector<std::string> PngSeeds() {
  std::vector<std::string> seeds;
  for (const bool interlaced : {false, true}) {
    seeds.push_back(test::MakePng({5, 4, 8, PNG_COLOR_TYPE_RGB, Ramp(60), {}, {}, {}, interlaced}));
    seeds.push_back(
        test::MakePng({5, 4, 16, PNG_COLOR_TYPE_RGB_ALPHA, Ramp(160), {}, {}, {}, interlaced}));
    seeds.push_back(
        test::MakePng({5, 4, 1, PNG_COLOR_TYPE_GRAY, Ramp(4), {}, {}, {1}, interlaced}));
    seeds.push_back(test::MakePng(
        {5, 4, 2, PNG_COLOR_TYPE_PALETTE, Ramp(8), Ramp(12), {9, 0}, {}, interlaced}));
  }
  return seeds;
}

std::vector<std::string> JpegSeeds() {
  std::vector<std::string> seeds;
  for (const bool progressive : {false, true}) {
    seeds.push_back(test::MakeJpeg({5, 4, JCS_RGB, Ramp(60), true, progressive}));
    seeds.push_back(test::MakeJpeg({5, 4, JCS_GRAYSCALE, Ramp(20), true, progressive}));
    seeds.push_back(test::MakeJpeg({5, 4, JCS_CMYK, Ramp(80), true, progressive}));
  }
  return seeds;
}

/// The big-endian number at byte `at` of a PNG: the width or height in its header.
std::uint32_t BigEndian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = at; k < at + 4; ++k)
    value = value << 8 | static_cast<std::uint8_t>(bytes[k]);
  return value;
}

/// Large images are excluded; the limits of sizes have separate tests.
bool IsLargePng(std::string_view bytes) {
  constexpr std::uint64_t kMost = 1 << 16;
  return bytes.size() >= 24 && std::uint64_t{BigEndian(bytes, 16)} * BigEndian(bytes, 20) > kMost;
}

/// Sets the checksums of the chunks of a PNG. With wrong ones nothing behind the first chunk would
/// be reached.
std::string WithChunkChecksums(std::string_view bytes) {
  std::string sealed(bytes);
  for (std::size_t begin = 8; begin + 12 <= sealed.size();) {
    const std::size_t length = BigEndian(sealed, begin);
    if (length > sealed.size() - begin - 12) break;
    const auto* type = reinterpret_cast<const Bytef*>(sealed.data()) + begin + 4;
    const auto checksum = static_cast<std::uint32_t>(crc32(0, type, static_cast<uInt>(length + 4)));
    for (std::size_t k = 0; k < 4; ++k)
      sealed[begin + 8 + length + k] = static_cast<char>(checksum >> (24 - 8 * k) & 0xff);
    begin += length + 12;
  }
  return sealed;
}

void ReadPng(std::string_view bytes) {
  if (IsLargePng(bytes)) return;
  const std::string path = PathOf(WithChunkChecksums(bytes));
  try {
    ReadLabelImage(path, 3);
  } catch (const DataError&) {  // most images are not label images
  }
  ReadImage(path);
}

/// Whether the first frame header has a large size, or is missing: then nothing is decoded.
bool IsLargeJpeg(std::string_view bytes) {
  for (std::size_t k = 0; k + 9 < bytes.size(); ++k) {
    const auto marker = static_cast<std::uint8_t>(bytes[k + 1]);
    if (static_cast<std::uint8_t>(bytes[k]) != 0xff || marker < 0xc0 || marker > 0xcf) continue;
    const std::uint32_t size = BigEndian(bytes, k + 5);
    if (std::uint64_t{size >> 16} * (size & 0xffff) > 1 << 14) return true;
  }
  return false;
}

void ReadJpeg(std::string_view bytes) {
  if (!IsLargeJpeg(bytes)) ReadImage(PathOf(bytes));
}

Image Picture() {
  Image image{24, 20, {}};
  for (Index p = 0; p < 3 * image.num_pixels(); ++p)
    image.rgb.push_back(static_cast<std::uint8_t>(p * 7 + p / 72 * 31));
  return image;
}

std::vector<std::string> ExtractorSeeds() {
  const test::TemporaryFolder folder;
  WritePng(folder.Path("a.png"), Picture());
  ExtractorOptions options;
  options.fine = 6;
  options.coarse = 2;
  options.features = FeatureSet::kSmall;
  return {FeatureExtractor::Learn({folder.Path("a.png")}, options, 1, {}).Save()};
}

/// Loads the extractor only: computing features of an image takes 20 ms with sanitizers.
void LoadExtractor(std::string_view bytes) {
  const FeatureExtractor extractor = FeatureExtractor::Load(bytes);
  if (extractor.Save() != bytes)
    throw std::logic_error("an extractor changes when it is read back");
}

const FuzzTarget kPng({"png", ReadPng, PngSeeds, 1024});
const FuzzTarget kJpeg({"jpeg", ReadJpeg, JpegSeeds, 1024});
const FuzzTarget kExtractor({"extractor", LoadExtractor, ExtractorSeeds, 40000});

}  // namespace
}  // namespace slackline::internal::fuzz
