// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/image.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <slackline/core/check.h>
#include <slackline/core/model_file.h>
#include <slackline/vision/jpeg_file.h>
#include <slackline/vision/png_file.h>

namespace slackline {

namespace {

constexpr std::string_view kPngMagic("\x89PNG\r\n\x1a\n", 8);
constexpr std::string_view kJpegMagic("\xff\xd8\xff", 3);

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

enum class FileFormat { kPng, kJpeg };

struct FileContent {
  FileFormat format = FileFormat::kPng;
  std::string bytes;
};

FileFormat FormatOf(const std::string& path, std::string_view begin) {
  if (begin.starts_with(kPngMagic)) return FileFormat::kPng;
  if (begin.starts_with(kJpegMagic)) return FileFormat::kJpeg;
  throw DataError(path, 0, begin.empty() ? "the file is empty" : "is neither a JPEG nor a PNG file");
}

/// The whole file, once its beginning shows that it is an image.
FileContent ReadImageBytes(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw DataError(path, 0, "is a directory, not a file");
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw DataError(path, 0, std::string("cannot open the file: ") + std::strerror(errno));
  FileContent content;
  std::vector<char> block(16);
  for (std::size_t count = 1; count > 0; block.resize(1 << 16)) {
    count = std::fread(block.data(), 1, block.size(), file.get());
    if (std::ferror(file.get()) != 0) {
      throw DataError(path, 0, std::string("reading failed: ") + std::strerror(errno));
    }
    if (content.bytes.empty()) content.format = FormatOf(path, {block.data(), count});
    content.bytes.append(block.data(), count);
  }
  return content;
}

void CheckLabels(const std::string& path, const LabelImage& image, Index num_classes) {
  for (std::size_t p = 0; p < image.labels.size(); ++p) {
    const int value = image.labels[p];
    if (value < num_classes || value == kVoid) continue;
    const std::size_t width = static_cast<std::size_t>(image.width);
    throw DataError(path, 0,
                    "value " + std::to_string(value) + " at column " + std::to_string(p % width) + ", row " +
                        std::to_string(p / width) + " (from 0) is neither a class, of which there are " +
                        std::to_string(num_classes) + ", nor " + std::to_string(kVoid) + " (no label)");
  }
}

}  // namespace

Image ReadImage(const std::string& path) {
  const FileContent content = ReadImageBytes(path);
  return content.format == FileFormat::kPng ? DecodePng(path, content.bytes)
                                            : DecodeJpeg(path, content.bytes);
}

LabelImage ReadLabelImage(const std::string& path, Index num_classes) {
  SLACKLINE_CHECK(num_classes >= 1 && num_classes <= kVoid, "there are 1 to 255 classes");
  const FileContent content = ReadImageBytes(path);
  if (content.format != FileFormat::kPng) {
    throw DataError(path, 0,
                    "a label image must be a greyscale or palette PNG of at most 8 bits whose values are "
                    "class numbers; this one is a JPEG");
  }
  LabelImage image = DecodeLabelPng(path, content.bytes);
  CheckLabels(path, image, num_classes);
  return image;
}

void WritePng(const std::string& path, const Image& image) {
  WriteFileAtomically(path, EncodePng(path, image));
}

void WriteLabelPng(const std::string& path, const LabelImage& image,
                   const std::vector<std::uint8_t>& palette) {
  WriteFileAtomically(path, EncodeLabelPng(path, image, palette));
}

void WriteNumberPng(const std::string& path, Index width, Index height, const std::vector<Index>& numbers) {
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
  throw DataError(folder, 0, "there is none of the files " + tried);
}

}  // namespace slackline
