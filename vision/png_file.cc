// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/png_file.h>

#include <png.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <slackline/core/check.h>

// libpng reports errors by longjmp. Only functions whose names begin with Try catch them; these
// hold no objects with destructors, and all memory belongs to their callers.

namespace slackline::internal {

namespace {

using Message = std::array<char, 160>;

void OnError(png_structp png, png_const_charp text) {
  Message& message = *static_cast<Message*>(png_get_error_ptr(png));
  std::snprintf(message.data(), message.size(), "%s", text);
  png_longjmp(png, 1);
}

void OnWarning(png_structp, png_const_charp) {}

/// libpng reports a lack of memory by a text only. The flag behind the memory pointer tells it from
/// a bad image.
png_voidp OnMalloc(png_structp png, png_alloc_size_t bytes) {
  void* block = std::malloc(bytes);
  if (block == nullptr) *static_cast<bool*>(png_get_mem_ptr(png)) = true;
  return block;
}

void OnFree(png_structp, png_voidp block) { std::free(block); }

class PngReader {
 public:
  PngReader(const std::string& path, std::string_view bytes, Index most_pixels)
      : path_(path), rest_(bytes) {
    handles_.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &message_, OnError, OnWarning,
                                            &out_of_memory_, OnMalloc, OnFree);
    if (handles_.png == nullptr) throw std::bad_alloc();
    handles_.info = png_create_info_struct(handles_.png);
    if (handles_.info == nullptr) throw std::bad_alloc();
    if (!TryReadHeader()) Fail();
    CheckNumPixels(path_, png_get_image_width(png(), info()), png_get_image_height(png(), info()),
                   most_pixels);
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Index width() const { return static_cast<Index>(png_get_image_width(png(), info())); }
  Index height() const { return static_cast<Index>(png_get_image_height(png(), info())); }
  int color_type() const { return png_get_color_type(png(), info()); }
  int bit_depth() const { return png_get_bit_depth(png(), info()); }

  /// Rows of 8-bit RGB or RGBA, `channels` bytes per pixel.
  std::vector<std::uint8_t> ReadColors(int& channels) {
    if (!TryAskForColors()) Fail();
    channels = png_get_channels(png(), info());
    SLACKLINE_CHECK(channels == 3 || channels == 4, "libpng gives RGB or RGBA");
    return ReadRows(channels);
  }

  /// The stored values, one byte each.
  std::vector<std::uint8_t> ReadValues() {
    if (!TryAskForValues()) Fail();
    return ReadRows(1);
  }

 private:
  struct Handles {
    Handles() = default;
    Handles(const Handles&) = delete;
    Handles& operator=(const Handles&) = delete;
    ~Handles() { png_destroy_read_struct(&png, &info, nullptr); }
    png_structp png = nullptr;
    png_infop info = nullptr;
  };

  png_structp png() const { return handles_.png; }
  png_infop info() const { return handles_.info; }

  [[noreturn]] void Fail() const {
    if (out_of_memory_) throw std::bad_alloc();
    throw DataError(path_, 0, std::string("the PNG cannot be decoded: ") + message_.data());
  }

  static void OnRead(png_structp png, png_bytep to, std::size_t count) {
    std::string_view& rest = *static_cast<std::string_view*>(png_get_io_ptr(png));
    if (rest.size() < count) png_error(png, "the file ends too early");
    std::memcpy(to, rest.data(), count);
    rest.remove_prefix(count);
  }

  bool TryReadHeader() {
    if (setjmp(png_jmpbuf(png())) != 0) return false;
    png_set_read_fn(png(), &rest_, OnRead);
    png_set_user_limits(png(), PNG_UINT_31_MAX,
                        PNG_UINT_31_MAX);  // this library limits the number of pixels instead
    png_read_info(png(), info());
    return true;
  }

  bool TryAskForColors() {
    if (setjmp(png_jmpbuf(png())) != 0) return false;
    png_set_expand(png());
    png_set_scale_16(png());
    png_set_gray_to_rgb(png());
    passes_ = png_set_interlace_handling(png());
    png_read_update_info(png(), info());
    return true;
  }

  bool TryAskForValues() {
    if (setjmp(png_jmpbuf(png())) != 0) return false;
    png_set_packing(png());
    passes_ = png_set_interlace_handling(png());
    png_read_update_info(png(), info());
    return true;
  }

  std::vector<std::uint8_t> ReadRows(int channels) {
    const std::size_t row_bytes = Offset{width()} * channels;
    SLACKLINE_CHECK(png_get_rowbytes(png(), info()) == row_bytes,
                    "libpng's rows are of the expected length");
    std::vector<std::uint8_t> pixels(row_bytes * height());
    if (!TryReadRows(pixels.data(), row_bytes)) Fail();
    return pixels;
  }

  bool TryReadRows(std::uint8_t* pixels, std::size_t row_bytes) {
    if (setjmp(png_jmpbuf(png())) != 0) return false;
    const std::size_t num_rows = height();
    for (int pass = 0; pass < passes_; ++pass) {
      for (std::size_t y = 0; y < num_rows; ++y)
        png_read_row(png(), pixels + y * row_bytes, nullptr);
    }
    png_read_end(png(), nullptr);
    return true;
  }

  std::string path_;
  std::string_view rest_;
  Message message_{};
  bool out_of_memory_ = false;
  Handles handles_;
  int passes_ = 1;
};

/// RGBA to RGB over white, in place.
void LayOverWhite(std::vector<std::uint8_t>& pixels) {
  const std::size_t num_pixels = pixels.size() / 4;
  for (std::size_t p = 0; p < num_pixels; ++p) {
    const int alpha = pixels[4 * p + 3];
    for (std::size_t c = 0; c < 3; ++c) {
      const int mixed = (pixels[4 * p + c] * alpha + 255 * (255 - alpha) + 127) / 255;
      pixels[3 * p + c] = static_cast<std::uint8_t>(mixed);
    }
  }
  pixels.resize(3 * num_pixels);
  pixels.shrink_to_fit();
}

void CheckLabelKind(const std::string& path, int color_type, int bit_depth) {
  const char* found = nullptr;
  if ((color_type & PNG_COLOR_MASK_ALPHA) != 0) {
    found = "has an alpha channel";
  } else if (color_type == PNG_COLOR_TYPE_RGB) {
    found = "is an RGB image";
  } else if (bit_depth > 8) {
    found = "has 16 bits";
  }
  if (found == nullptr) return;
  throw DataError(path, 0,
                  "a label image must be a greyscale or palette PNG of at most 8 bits whose values "
                  "are class numbers; this one " +
                      std::string(found));
}

struct PixelKind {
  int color_type;
  int bit_depth;
  std::size_t bytes;
};
constexpr PixelKind kColors = {PNG_COLOR_TYPE_RGB, 8, 3};
constexpr PixelKind kPalette = {PNG_COLOR_TYPE_PALETTE, 8, 1};
constexpr PixelKind kNumbers = {PNG_COLOR_TYPE_GRAY, 16, 2};

class PngWriter {
 public:
  explicit PngWriter(const std::string& path) : path_(path) {
    handles_.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &message_, OnError, OnWarning,
                                             &out_of_memory_, OnMalloc, OnFree);
    if (handles_.png == nullptr) throw std::bad_alloc();
    handles_.info = png_create_info_struct(handles_.png);
    if (handles_.info == nullptr) throw std::bad_alloc();
  }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  /// 16-bit values have their higher byte first.
  std::string Write(Index width, Index height, const std::vector<std::uint8_t>& pixels,
                    PixelKind kind, const std::vector<std::uint8_t>* palette = nullptr) {
    if (!TryWrite(width, height, pixels.data(), kind,
                  palette == nullptr ? nullptr : palette->data())) {
      if (out_of_memory_) throw std::bad_alloc();
      throw DataError(path_, 0, std::string("the PNG cannot be made: ") + message_.data());
    }
    return std::move(bytes_);
  }

 private:
  struct Handles {
    Handles() = default;
    Handles(const Handles&) = delete;
    Handles& operator=(const Handles&) = delete;
    ~Handles() { png_destroy_write_struct(&png, &info); }
    png_structp png = nullptr;
    png_infop info = nullptr;
  };

  static bool Append(std::string& bytes, const png_byte* from, std::size_t count) noexcept {
    try {
      bytes.append(reinterpret_cast<const char*>(from), count);
      return true;
    } catch (...) {
      return false;
    }
  }

  static void OnWrite(png_structp png, png_bytep from, std::size_t count) {
    if (Append(*static_cast<std::string*>(png_get_io_ptr(png)), from, count)) return;
    *static_cast<bool*>(png_get_mem_ptr(png)) = true;
    png_error(png, "out of memory");
  }

  static void OnFlush(png_structp) {}

  bool TryWrite(Index width, Index height, const std::uint8_t* pixels, PixelKind kind,
                const std::uint8_t* palette) {
    if (setjmp(png_jmpbuf(handles_.png)) != 0) return false;
    png_structp png = handles_.png;
    png_infop info = handles_.info;
    png_set_write_fn(png, &bytes_, OnWrite, OnFlush);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height),
                 kind.bit_depth, kind.color_type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (palette != nullptr) {
      png_color colors[256];
      for (int k = 0; k < 256; ++k)
        colors[k] = {palette[3 * k], palette[3 * k + 1], palette[3 * k + 2]};
      png_set_PLTE(png, info, colors, 256);
    }
    png_write_info(png, info);
    const std::size_t row_bytes = Offset{width} * kind.bytes;
    const std::size_t num_rows = height;
    for (std::size_t y = 0; y < num_rows; ++y) png_write_row(png, pixels + y * row_bytes);
    png_write_end(png, nullptr);
    return true;
  }

  std::string path_;
  std::string bytes_;
  Message message_{};
  bool out_of_memory_ = false;
  Handles handles_;
};

}  // namespace

void CheckNumPixels(const std::string& path, std::int64_t width, std::int64_t height,
                    Index most_pixels) {
  if (width <= most_pixels && height <= most_pixels && width * height <= most_pixels) return;
  throw DataError(path, 0,
                  "an image of " + std::to_string(width) + " x " + std::to_string(height) +
                      " pixels is too large; at most " + std::to_string(most_pixels) +
                      " pixels are allowed (--max-pixels)");
}

Image DecodePng(const std::string& path, std::string_view bytes, Index most_pixels) {
  PngReader reader(path, bytes, most_pixels);
  Image image{reader.width(), reader.height(), {}};
  int channels = 0;
  image.rgb = reader.ReadColors(channels);
  if (channels == 4) LayOverWhite(image.rgb);
  return image;
}

LabelImage DecodeLabelPng(const std::string& path, std::string_view bytes, Index most_pixels) {
  PngReader reader(path, bytes, most_pixels);
  CheckLabelKind(path, reader.color_type(), reader.bit_depth());
  return {reader.width(), reader.height(), reader.ReadValues()};
}

std::string EncodePng(const std::string& path, const Image& image) {
  SLACKLINE_CHECK(image.width >= 1 && image.height >= 1, "an image to write has pixels");
  SLACKLINE_CHECK(std::ssize(image.rgb) == 3 * Offset{image.width} * image.height,
                  "an image has three bytes a pixel");
  return PngWriter(path).Write(image.width, image.height, image.rgb, kColors);
}

std::string EncodeLabelPng(const std::string& path, const LabelImage& image,
                           const std::vector<std::uint8_t>& palette) {
  SLACKLINE_CHECK(image.width >= 1 && image.height >= 1, "an image to write has pixels");
  SLACKLINE_CHECK(std::ssize(image.labels) == Offset{image.width} * image.height,
                  "a label image has one byte a pixel");
  SLACKLINE_CHECK(palette.size() == 768, "a palette has 256 colours");
  return PngWriter(path).Write(image.width, image.height, image.labels, kPalette, &palette);
}

std::string EncodeNumberPng(const std::string& path, Index width, Index height,
                            const std::vector<Index>& numbers) {
  SLACKLINE_CHECK(width >= 1 && height >= 1, "an image to write has pixels");
  SLACKLINE_CHECK(std::ssize(numbers) == Offset{width} * height, "one number a pixel");
  std::vector<std::uint8_t> bytes;
  bytes.reserve(2 * numbers.size());
  for (const Index number : numbers) {
    if (number < 0 || number > 0xFFFF) {
      throw DataError(path, 0, "the number " + std::to_string(number) + " does not fit 16 bits");
    }
    bytes.push_back(static_cast<std::uint8_t>(number >> 8));
    bytes.push_back(static_cast<std::uint8_t>(number & 0xFF));
  }
  return PngWriter(path).Write(width, height, bytes, kNumbers);
}

}  // namespace slackline::internal
