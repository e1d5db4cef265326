// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/exif_orientation.h>

#include <cstring>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

constexpr int kUpright = 1;
constexpr unsigned kOrientationTag = 0x0112;
constexpr unsigned kShort = 3;  // the type of a number of 16 bits

/// Unsigned number of `size` bytes at a position; 0 behind the end.
unsigned Number(std::string_view bytes, std::size_t at, std::size_t size, bool big_endian) {
  if (at > bytes.size() || size > bytes.size() - at) return 0;
  unsigned number = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t place = big_endian ? at + k : at + size - 1 - k;
    number = number << 8 | static_cast<unsigned char>(bytes[place]);
  }
  return number;
}

/// The tag in the first directory of a TIFF header, with which EXIF blocks begin.
int OrientationInTiff(std::string_view tiff) {
  const bool big_endian = tiff.starts_with(std::string_view("MM\0\x2a", 4));
  if (!big_endian && !tiff.starts_with(std::string_view("II\x2a\0", 4))) return kUpright;
  const std::size_t directory = Number(tiff, 4, 4, big_endian);
  const unsigned entries = Number(tiff, directory, 2, big_endian);
  for (std::size_t k = 0; k < entries; ++k) {
    const std::size_t at = directory + 2 + 12 * k;
    if (at >= tiff.size()) break;
    if (Number(tiff, at, 2, big_endian) != kOrientationTag) continue;
    if (Number(tiff, at + 2, 2, big_endian) != kShort) break;
    const unsigned value = Number(tiff, at + 8, 2, big_endian);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : kUpright;
  }
  return kUpright;
}

/// Segments: FF, a marker, and a size that counts itself; the image data follow FF DA.
int OrientationInJpeg(std::string_view bytes) {
  constexpr std::string_view kExif("Exif\0\0", 6);
  for (std::size_t at = 2; at + 4 <= bytes.size();) {
    if (bytes[at] != '\xff') break;
    const auto marker = static_cast<unsigned char>(bytes[at + 1]);
    if (marker == 0xff) {  // fill byte
      ++at;
      continue;
    }
    const std::size_t size = Number(bytes, at + 2, 2, true);
    if (marker == 0xda || size < 2) break;
    const std::string_view content = bytes.substr(at + 4).substr(0, size - 2);
    if (marker == 0xe1 && content.starts_with(kExif))
      return OrientationInTiff(content.substr(kExif.size()));
    at += 2 + size;
  }
  return kUpright;
}

/// Chunks: size, name, content, checksum.
int OrientationInPng(std::string_view bytes) {
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const std::size_t size = Number(bytes, at, 4, true);
    const std::string_view name = bytes.substr(at + 4, 4);
    if (name == "eXIf") return OrientationInTiff(bytes.substr(at + 8).substr(0, size));
    if (name == "IEND") break;
    at += 12 + size;
  }
  return kUpright;
}

}  // namespace

int ExifOrientation(std::string_view bytes) {
  return bytes.starts_with("\xff\xd8") ? OrientationInJpeg(bytes) : OrientationInPng(bytes);
}

void TurnUpright(int orientation, Index pixel_bytes, Index* width, Index* height,
                 std::vector<std::uint8_t>* pixels) {
  if (orientation == kUpright) return;
  const std::size_t w = *width;
  const std::size_t h = *height;
  const std::size_t size = pixel_bytes;
  SLACKLINE_CHECK(orientation >= 1 && orientation <= 8 && pixels->size() == w * h * size,
                  "an orientation is 1 … 8");
  const bool swapped = orientation >= 5;
  const std::size_t new_w = swapped ? h : w;
  const std::size_t new_h = swapped ? w : h;
  const bool mirror_x =
      orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool mirror_y =
      orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  std::vector<std::uint8_t> turned(pixels->size());
  std::uint8_t* to = turned.data();
  for (std::size_t y = 0; y < new_h; ++y) {
    for (std::size_t x = 0; x < new_w; ++x, to += size) {
      std::size_t from_x = swapped ? y : x;
      std::size_t from_y = swapped ? x : y;
      if (mirror_x) from_x = w - 1 - from_x;
      if (mirror_y) from_y = h - 1 - from_y;
      std::memcpy(to, pixels->data() + (from_y * w + from_x) * size, size);
    }
  }
  *pixels = std::move(turned);
  if (swapped) std::swap(*width, *height);
}

}  // namespace slackline::internal
