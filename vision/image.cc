// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/image.h>

#include <cstdint>
#include <filesystem>

#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/read_file.h>
#include <slackline/vision/exif_orientation.h>
#include <slackline/vision/jpeg_file.h>
#include <slackline/vision/png_file.h>

namespace slackline::internal {

namespace {

constexpr std::string_view kPngMagic("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view kJpegMagic("\xff\xd8\xff", 3);
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // of a file

enum class FileFormat { kPng, kJpeg };

struct FileContent {
  FileFormat format = FileFormat::kPng;
  std::string bytes;
};

FileFormat FormatOf(const std::string& path, std::string_view begin) {
  if (begin.starts_with(kPngMagic)) return FileFormat::kPng;
  if (begin.starts_with(kJpegMagic)) return FileFormat::kJpeg;
  throw DataError(path, 0,
                  begin.empty() ? "the file is empty" : "is neither a JPEG nor a PNG file");
}

/// Reads the whole file, but only if its first bytes are those of an image.
FileContent ReadImageBytes(const std::string& path) {
  FileContent content;
  bool known = false;
  content.bytes = ReadFileUpTo(path, [&](std::string_view bytes) {
    if (!known && bytes.size() >= kPngMagic.size()) {
      content.format = FormatOf(path, bytes);
      known = true;
    }
    return kMostBytes;
  });
  if (!known) content.format = FormatOf(path, content.bytes);
  if (content.bytes.size() <= kMostBytes) return content;
  throw DataError(path, 0,
                  "the file is longer than any image; at most " +
                      BytesText(static_cast<double>(kMostBytes)) + " are read");
}

/// A message such as "value 30 at column 3, row 7 (from 0) is neither a class, of which there are
/// 21, nor 255 (no label)".
std::string BadValue(int value, std::size_t column, std::size_t row, Index num_classes,
                     const LabelCoding& coding) {
  std::string classes = std::to_string(num_classes);
  if (!coding.plain())
    classes += " (values " + std::to_string(coding.ValueOf(0)) + " to " +
               std::to_string(coding.ValueOf(static_cast<std::uint8_t>(num_classes - 1))) + ")";
  return "value " + std::to_string(value) + " at column " + std::to_string(column) + ", row " +
         std::to_string(row) + " (from 0) is neither a class, of which there are " + classes +
         ", nor " + coding.VoidText() + " (no label)";
}

/// Replaces the stored values by class numbers.
void Decode(const std::string& path, Index num_classes, const LabelCoding& coding,
            LabelImage* image) {
  for (std::size_t p = 0; p < image->labels.size(); ++p) {
    const std::uint8_t value = image->labels[p];
    const std::uint8_t label = coding.ClassOf(value);
    image->labels[p] = label;
    if (label < num_classes || label == kVoid) continue;
    const std::size_t width = image->width;
    throw DataError(path, 0, BadValue(value, p % width, p / width, num_classes, coding));
  }
}

}  // namespace

Image ReadImage(const std::string& path, Index most_pixels) {
  const FileContent content = ReadImageBytes(path);
  Image image = content.format == FileFormat::kPng ? DecodePng(path, content.bytes, most_pixels)
                                                   : DecodeJpeg(path, content.bytes, most_pixels);
  TurnUpright(ExifOrientation(content.bytes), 3, &image.width, &image.height, &image.rgb);
  return image;
}

LabelImage ReadLabelImage(const std::string& path, Index num_classes, Index most_pixels,
                          const LabelCoding& coding) {
  SLACKLINE_CHECK(num_classes >= 1 && num_classes <= coding.most_classes(),
                  "there are 1 to 255 classes");
  const FileContent content = ReadImageBytes(path);
  if (content.format != FileFormat::kPng) {
    throw DataError(path, 0,
                    "a label image must be a greyscale or palette PNG of at most 8 bits whose "
                    "values are class numbers; this one is a JPEG");
  }
  LabelImage image = DecodeLabelPng(path, content.bytes, most_pixels);
  TurnUpright(ExifOrientation(content.bytes), 1, &image.width, &image.height, &image.labels);
  Decode(path, num_classes, coding, &image);
  return image;
}

void WritePng(const std::string& path, const Image& image) {
  WriteFileAtomically(path, EncodePng(path, image));
}

void WriteLabelPng(const std::string& path, const LabelImage& image,
                   const std::vector<std::uint8_t>& palette) {
  WriteFileAtomically(path, EncodeLabelPng(path, image, palette));
}

void WriteNumberPng(const std::string& path, Index width, Index height,
                    const std::vector<Index>& numbers) {
  WriteFileAtomically(path, EncodeNumberPng(path, width, height, numbers));
}

std::string FindImageFile(const std::string& folder, const std::string& name,
                          const std::vector<std::string_view>& extensions) {
  std::string tried;
  for (const std::string_view extension : extensions) {
    const std::string file = name + std::string(extension);
    const std::filesystem::path path = std::filesystem::path(folder) / file;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path.string();
    tried.append(tried.empty() ? "" : ", ").append(file);
  }
  throw DataError(folder, 0, "none of these files exists: " + tried);
}

}  // namespace slackline::internal
