// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/canvas.h>

#include <algorithm>

#include <slackline/vision/bitmap_font.h>

namespace slackline::internal {

namespace {

constexpr Index kAdvance = kGlyphWidth + 1;

/// Calls draw(column, row) for every dark pixel of the text at scale 1.
template <class Draw>
void ForTextPixels(std::string_view text, const Draw& draw) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto& rows = Glyph(text[k]);
    const Index descent = GlyphDescent(text[k]);
    for (Index row = 0; row < kGlyphHeight; ++row) {
      for (Index column = 0; column < kGlyphWidth; ++column) {
        if ((rows[row] >> (kGlyphWidth - 1 - column) & 1) != 0) {
          draw(static_cast<Index>(k) * kAdvance + column, row + descent);
        }
      }
    }
  }
}

}  // namespace

Canvas::Canvas(Index width, Index height, Color background) : image_{width, height, {}} {
  image_.rgb.resize(3 * Offset{width} * height);
  Fill(0, 0, width, height, background);
}

void Canvas::Set(Index x, Index y, Color color) {
  if (x < 0 || x >= image_.width || y < 0 || y >= image_.height) return;
  std::copy(color.begin(), color.end(),
            image_.rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(y) * image_.width + x));
}

void Canvas::Fill(Index x, Index y, Index width, Index height, Color color) {
  const Index x_end = std::min(x + width, image_.width);
  const Index y_end = std::min(y + height, image_.height);
  for (Index v = std::max(y, 0); v < y_end; ++v) {
    for (Index u = std::max(x, 0); u < x_end; ++u) Set(u, v, color);
  }
}

void Canvas::Paste(Index x, Index y, const Image& image) {
  const std::uint8_t* from = image.rgb.data();
  for (Index v = 0; v < image.height; ++v) {
    for (Index u = 0; u < image.width; ++u, from += 3)
      Set(x + u, y + v, {from[0], from[1], from[2]});
  }
}

void Canvas::Text(Index x, Index y, std::string_view text, Index scale, Color color) {
  ForTextPixels(text, [&](Index column, Index row) {
    Fill(x + column * scale, y + row * scale, scale, scale, color);
  });
}

void Canvas::TextUpwards(Index x, Index y, std::string_view text, Index scale, Color color) {
  ForTextPixels(text, [&](Index column, Index row) {
    Fill(x + row * scale, y - (column + 1) * scale, scale, scale, color);
  });
}

Index TextWidth(std::string_view text, Index scale) {
  return text.empty() ? 0 : (static_cast<Index>(text.size()) * kAdvance - 1) * scale;
}

std::string FitText(std::string_view text, Index width, Index scale) {
  if (TextWidth(text, scale) <= width) return std::string(text);
  const Index characters = (width / scale + 1) / kAdvance;
  if (characters < 2) return {};
  return std::string(text.substr(0, characters - 2)) + "..";
}

}  // namespace slackline::internal
