// SPDX-License-Identifier: BSD-3-Clause
//
// Draws rectangles, images and text on an image. Parts outside of the image are not drawn.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <slackline/vision/image.h>

namespace slackline::internal {

using Color = std::array<std::uint8_t, 3>;

inline constexpr Color kWhite = {255, 255, 255};
inline constexpr Color kInk = {32, 32, 32};

class Canvas {
 public:
  Canvas(Index width, Index height, Color background);

  void Set(Index x, Index y, Color color);
  void Fill(Index x, Index y, Index width, Index height, Color color);
  void Paste(Index x, Index y, const Image& image);
  /// x, y: the upper left corner of the text. Every pixel of the font becomes scale × scale pixels.
  void Text(Index x, Index y, std::string_view text, Index scale, Color color);
  /// Text that runs upwards; x, y: the lower left corner, where the text begins.
  void TextUpwards(Index x, Index y, std::string_view text, Index scale, Color color);

  Image Take() { return std::move(image_); }

 private:
  Image image_;
};

Index TextWidth(std::string_view text, Index scale);
/// Height in pixels, without the tails of g, p, q and y, which reach two pixels of the font lower.
inline Index TextHeight(Index scale) { return 7 * scale; }
/// The text, shortened and ended with ".." where it is wider than `width`; empty if ".." is too
/// wide.
std::string FitText(std::string_view text, Index width, Index scale);

}  // namespace slackline::internal
