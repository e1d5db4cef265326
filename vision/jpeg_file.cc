// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/jpeg_file.h>

#include <cstdio>  // before jpeglib.h, which needs it

#include <jerror.h>
#include <jpeglib.h>

#include <csetjmp>
#include <new>

#include <slackline/core/check.h>
#include <slackline/vision/png_file.h>

// Errors of libjpeg become longjmp. Only functions whose names begin with Try catch them; these
// hold no objects with destructors, and all memory belongs to their callers.

namespace slackline::internal {

namespace {

struct Errors {
  jpeg_error_mgr base;  // first: libjpeg hands out a pointer to it
  jmp_buf escape;
  char message[JMSG_LENGTH_MAX];
};

[[noreturn]] void OnError(j_common_ptr info) {
  Errors* errors = reinterpret_cast<Errors*>(info->err);
  errors->base.format_message(info, errors->message);
  longjmp(errors->escape, 1);
}

/// libjpeg continues after damage and invents the missing pixels; here damage is an error.
void OnMessage(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_BOGUS_PROGRESSION:
      OnError(info);
    default:
      break;
  }
}

void OnOutput(j_common_ptr) {}

class JpegReader {
 public:
  JpegReader(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = OnError;
    errors_.base.emit_message = OnMessage;
    errors_.base.output_message = OnOutput;
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&info_); }

  Image Read(Index most_pixels) {
    if (!TryReadHeader()) Fail();
    CheckNumPixels(path_, info_.image_width, info_.image_height, most_pixels);
    Image image{static_cast<Index>(info_.image_width), static_cast<Index>(info_.image_height), {}};
    const std::size_t row_bytes = 3 * Offset{image.width};
    image.rgb.resize(row_bytes * image.height);
    std::vector<std::uint8_t> ink;
    if (four_inks()) ink.resize(4 * Offset{image.width});
    if (!TryReadRows(image.rgb.data(), row_bytes, ink.data())) Fail();
    return image;
  }

 private:
  bool four_inks() const {
    return info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
  }

  [[noreturn]] void Fail() const {
    if (errors_.base.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
    throw DataError(path_, 0, std::string("the JPEG cannot be decoded: ") + errors_.message);
  }

  bool TryReadHeader() {
    if (setjmp(errors_.escape) != 0) return false;
    jpeg_create_decompress(&info_);
    jpeg_mem_src(&info_, reinterpret_cast<const unsigned char*>(bytes_.data()),
                 static_cast<unsigned long>(bytes_.size()));
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  bool TryReadRows(std::uint8_t* rgb, std::size_t row_bytes, std::uint8_t* ink) {
    if (setjmp(errors_.escape) != 0) return false;
    info_.out_color_space = four_inks() ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&info_);
    while (info_.output_scanline < info_.output_height) {
      std::uint8_t* to = rgb + row_bytes * info_.output_scanline;
      JSAMPROW row = four_inks() ? ink : to;
      jpeg_read_scanlines(&info_, &row, 1);
      if (four_inks()) ConvertInk(ink, to, info_.output_width, info_.saw_Adobe_marker != 0);
    }
    jpeg_finish_decompress(&info_);
    return true;
  }

  /// Adobe's programs store inverted values: how much of an ink is missing.
  static void ConvertInk(const std::uint8_t* ink, std::uint8_t* rgb, std::size_t width,
                         bool inverted) {
    for (std::size_t x = 0; x < width; ++x) {
      const int black = inverted ? ink[4 * x + 3] : 255 - ink[4 * x + 3];
      for (std::size_t c = 0; c < 3; ++c) {
        const int light = inverted ? ink[4 * x + c] : 255 - ink[4 * x + c];
        rgb[3 * x + c] = static_cast<std::uint8_t>((light * black + 127) / 255);
      }
    }
  }

  std::string path_;
  std::string_view bytes_;
  Errors errors_{};
  jpeg_decompress_struct info_{};
};

}  // namespace

Image DecodeJpeg(const std::string& path, std::string_view bytes, Index most_pixels) {
  return JpegReader(path, bytes).Read(most_pixels);
}

}  // namespace slackline::internal
