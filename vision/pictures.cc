// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/pictures.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <slackline/core/check.h>
#include <slackline/vision/canvas.h>

namespace slackline::internal {

namespace {

/// Colours that differ clearly from each other, from black and from white.
constexpr std::array<Color, 28> kFirstColors = {{
    {51, 102, 204},  {51, 153, 51},   {204, 51, 51},   {255, 204, 51},  {255, 0, 255},
    {187, 187, 187}, {0, 255, 0},     {0, 0, 255},     {0, 102, 102},   {255, 153, 255},
    {0, 255, 204},   {153, 0, 102},   {153, 102, 0},   {153, 102, 102}, {0, 204, 255},
    {153, 204, 0},   {255, 102, 153}, {204, 102, 255}, {255, 153, 102}, {255, 102, 0},
    {153, 153, 102}, {153, 153, 204}, {0, 51, 204},    {0, 204, 51},    {0, 102, 153},
    {153, 153, 0},   {255, 204, 255}, {0, 102, 51},
}};

/// PASCAL VOC's colours: the bits of a number go to red, green and blue in turn, the lowest bits to
/// the highest places.
Color ColorFromBits(int number) {
  Color color{};
  for (int place = 7; number != 0; --place) {
    for (std::size_t c = 0; c < 3; ++c, number >>= 1) {
      color[c] = static_cast<std::uint8_t>(color[c] | ((number & 1) << place));
    }
  }
  return color;
}

int Difference(const Color& a, const Color& b) {
  int sum = 0;
  for (std::size_t c = 0; c < 3; ++c) sum += std::abs(a[c] - b[c]);
  return sum;
}

std::vector<Color> Colors() {
  std::vector<Color> colors(kFirstColors.begin(), kFirstColors.end());
  const auto near_first = [](const Color& color) {
    return std::any_of(kFirstColors.begin(), kFirstColors.end(),
                       [&color](const Color& other) { return Difference(color, other) < 8; });
  };
  int number = 1;
  while (colors.size() < kVoid) {
    const Color color = ColorFromBits(number++);
    if (!near_first(color)) colors.push_back(color);
  }
  colors.push_back({0, 0, 0});
  return colors;
}

const Color& ClassColor(std::uint8_t label) {
  static const std::vector<Color> colors = Colors();
  return colors[label];
}

/// Larger pictures have larger letters.
Index ScaleFor(Index width) { return 1 + width / 600; }

void CheckSizes(const Image& image, const LabelImage& labels, std::size_t num_classes) {
  SLACKLINE_CHECK(image.width >= 1 && image.height >= 1, "the image has pixels");
  SLACKLINE_CHECK(std::ssize(image.rgb) == 3 * Offset{image.width} * image.height,
                  "an image has three bytes a pixel");
  SLACKLINE_CHECK(labels.width == image.width && labels.height == image.height,
                  "image and labels are of one size");
  SLACKLINE_CHECK(labels.labels.size() * 3 == image.rgb.size(), "every pixel has a label");
  for (const std::uint8_t label : labels.labels) {
    SLACKLINE_CHECK(label < num_classes || label == kVoid, "a label is a class or void");
  }
}

/// Half the image, half the colours of the classes, with dark borders between classes.
Image Blend(const Image& image, const LabelImage& labels, Index line) {
  Image result = image;
  const Index width = image.width;
  const auto at_border = [&](Index x, Index y) {
    const std::uint8_t own = labels.labels[y * width + x];
    for (Index d = 1; d <= line; ++d) {
      if (x + d < width && labels.labels[y * width + x + d] != own) return true;
      if (y + d < image.height && labels.labels[(y + d) * width + x] != own) return true;
    }
    return false;
  };
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < width; ++x) {
      const Offset p = Offset{y} * width + x;
      const Color color = at_border(x, y) ? kInk : ClassColor(labels.labels[p]);
      const int share = at_border(x, y) ? 4 : 2;  // quarters of the colour
      for (std::size_t c = 0; c < 3; ++c) {
        const int mixed = (result.rgb[3 * p + c] * (4 - share) + color[c] * share + 2) / 4;
        result.rgb[3 * p + c] = static_cast<std::uint8_t>(mixed);
      }
    }
  }
  return result;
}

/// A table of coloured squares with names, which fills the given width.
class Legend {
 public:
  Legend(std::span<const std::string> classes, const std::array<bool, 256>& occurs, Index width,
         Index scale)
      : scale_(scale) {
    const Index room = width - 2 * margin() - square() - 3 * scale_;
    const Index longest = TextWidth(std::string(24, 'x'), scale_);
    Index widest = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      if (!occurs[k]) continue;
      entries_.push_back(
          {static_cast<std::uint8_t>(k), FitText(classes[k], std::min(room, longest), scale_)});
      widest = std::max(widest, TextWidth(entries_.back().name, scale_));
    }
    column_width_ = square() + 3 * scale_ + widest + 8 * scale_;
    columns_ = std::max<Index>(1, (width - 2 * margin() + 8 * scale_) / column_width_);
  }

  Index height() const {
    const Index count = static_cast<Index>(entries_.size());
    return count == 0 ? 0 : (count + columns_ - 1) / columns_ * row_height() + 2 * margin();
  }

  void Draw(Canvas& canvas, Index top) const {
    for (Index k = 0; k < static_cast<Index>(entries_.size()); ++k) {
      const Index x = margin() + k % columns_ * column_width_;
      const Index y = top + margin() + k / columns_ * row_height() + scale_;
      canvas.Fill(x, y, square(), square(), kInk);
      canvas.Fill(x + scale_, y + scale_, square() - 2 * scale_, square() - 2 * scale_,
                  ClassColor(entries_[k].label));
      canvas.Text(x + square() + 3 * scale_, y + scale_, entries_[k].name, scale_, kInk);
    }
  }

 private:
  struct Entry {
    std::uint8_t label;
    std::string name;
  };

  Index margin() const { return 3 * scale_; }
  Index square() const { return 9 * scale_; }
  Index row_height() const { return 12 * scale_; }

  Index scale_;
  Index column_width_ = 0;
  Index columns_ = 1;
  std::vector<Entry> entries_;
};

std::array<bool, 256> Occurring(const LabelImage& a, const LabelImage& b) {
  std::array<bool, 256> occurs{};
  for (const std::uint8_t label : a.labels) occurs[label] = true;
  for (const std::uint8_t label : b.labels) occurs[label] = true;
  return occurs;
}

/// Leaves room for a few letters under the smallest images.
constexpr Index kLeastWidth = 80;

}  // namespace

std::vector<std::uint8_t> ClassPalette(const LabelCoding& coding) {
  std::vector<std::uint8_t> palette;
  for (int k = 0; k < 256; ++k) {
    const Color& color = ClassColor(coding.ClassOf(static_cast<std::uint8_t>(k)));
    palette.insert(palette.end(), color.begin(), color.end());
  }
  return palette;
}

Image Overlay(const Image& image, const LabelImage& labels, std::span<const std::string> classes) {
  CheckSizes(image, labels, classes.size());
  const Index width = std::max(image.width, kLeastWidth);
  const Index scale = ScaleFor(width);
  const Legend legend(classes, Occurring(labels, {}), width, scale);
  Canvas canvas(width, image.height + legend.height(), kWhite);
  canvas.Paste(0, 0, Blend(image, labels, (scale + 1) / 2));
  legend.Draw(canvas, image.height);
  return canvas.Take();
}

Image Sheet(const Image& image, const LabelImage& truth, const LabelImage& prediction,
            std::span<const std::string> classes) {
  const bool with_truth = truth.width != 0 || truth.height != 0;
  if (with_truth) CheckSizes(image, truth, classes.size());
  CheckSizes(image, prediction, classes.size());
  const Index scale = ScaleFor(image.width);
  const Index line = (scale + 1) / 2;
  struct Panel {
    std::string_view title;
    Image picture;
  };
  std::vector<Panel> panels = {{"image", image}};
  if (with_truth) panels.push_back({"truth", Blend(image, truth, line)});
  panels.push_back({"prediction", Blend(image, prediction, line)});

  const Index gap = 6 * scale;
  const Index step = std::max(image.width, kLeastWidth) + gap;
  const Index width = step * static_cast<Index>(panels.size()) - gap;
  const Index title_height = TextHeight(scale) + 6 * scale;
  const Legend legend(classes, Occurring(truth, prediction), width, scale);
  Canvas canvas(width, title_height + image.height + legend.height(), kWhite);
  Index x = 0;
  for (const Panel& panel : panels) {
    const Index middle = x + (step - gap) / 2;
    canvas.Text(middle - TextWidth(panel.title, scale) / 2, 3 * scale, panel.title, scale, kInk);
    canvas.Paste(middle - image.width / 2, title_height, panel.picture);
    x += step;
  }
  legend.Draw(canvas, title_height + image.height);
  return canvas.Take();
}

}  // namespace slackline::internal
