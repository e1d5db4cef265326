// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of PNG and JPEG files of all kinds.
#pragma once

#include <stdio.h>  // before jpeglib.h, which needs it

#include <jpeglib.h>
#include <png.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace slackline::internal::test {

/// The content of a PNG file. Rows are as in the file: packed bits, high bits first. The later
/// members are optional.
struct PngContent {
  int width = 0;
  int height = 0;
  int bits = 8;
  int color_type = PNG_COLOR_TYPE_GRAY;
  std::vector<std::uint8_t> rows = {};
  std::vector<std::uint8_t> palette = {};        ///< three bytes a colour
  std::vector<std::uint8_t> palette_alpha = {};  ///< a byte a colour
  std::vector<std::uint16_t> transparent = {};   ///< the transparent grey, or red, green and blue
  bool interlaced = false;
};

inline std::string MakePng(const PngContent& content) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &bytes,
      [](png_structp p, png_bytep from, std::size_t count) {
        static_cast<std::string*>(png_get_io_ptr(p))
            ->append(reinterpret_cast<const char*>(from), count);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, content.width, content.height, content.bits, content.color_type,
               content.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_color> colors;
  for (std::size_t k = 0; k < content.palette.size(); k += 3) {
    colors.push_back({content.palette[k], content.palette[k + 1], content.palette[k + 2]});
  }
  if (!colors.empty()) png_set_PLTE(png, info, colors.data(), static_cast<int>(colors.size()));
  if (!content.palette_alpha.empty()) {
    png_set_tRNS(png, info, content.palette_alpha.data(),
                 static_cast<int>(content.palette_alpha.size()), nullptr);
  }
  if (!content.transparent.empty()) {
    png_color_16 key{};
    key.gray = content.transparent[0];
    if (content.transparent.size() == 3) {
      key.red = content.transparent[0];
      key.green = content.transparent[1];
      key.blue = content.transparent[2];
    }
    png_set_tRNS(png, info, nullptr, 0, &key);
  }
  png_write_info(png, info);
  const std::size_t row_bytes = png_get_rowbytes(png, info);
  if (content.rows.size() != row_bytes * content.height)
    throw std::logic_error("rows of another length");
  std::vector<png_bytep> rows;
  for (int y = 0; y < content.height; ++y) {
    rows.push_back(const_cast<png_bytep>(content.rows.data()) + y * row_bytes);
  }
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

struct JpegContent {
  int width = 0;
  int height = 0;
  J_COLOR_SPACE space = JCS_RGB;  ///< or JCS_GRAYSCALE, JCS_CMYK
  std::vector<std::uint8_t> samples = {};
  bool adobe = true;  ///< CMYK only: with Adobe's marker
  bool progressive = false;
};

inline std::string MakeJpeg(const JpegContent& content) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &memory, &size);
  const int channels = content.space == JCS_RGB ? 3 : content.space == JCS_CMYK ? 4 : 1;
  info.image_width = content.width;
  info.image_height = content.height;
  info.input_components = channels;
  info.in_color_space = content.space;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 100, TRUE);
  // No subsampling of colour.
  info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
  if (content.space == JCS_CMYK) info.write_Adobe_marker = content.adobe ? TRUE : FALSE;
  if (content.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(content.samples.data()) +
                   info.next_scanline * content.width * channels;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string bytes(reinterpret_cast<const char*>(memory), size);
  std::free(memory);
  return bytes;
}

}  // namespace slackline::internal::test
