// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/vision/canvas.h>
#include <slackline/vision/pictures.h>

namespace slackline {

namespace {

constexpr Color kDarkest = {8, 40, 100};
constexpr Color kLine = {200, 200, 200};
constexpr Color kEmpty = {235, 235, 235};

Color Shade(double share) {
  Color color{};
  for (std::size_t c = 0; c < 3; ++c) {
    color[c] = static_cast<std::uint8_t>(255.5 + (static_cast<double>(kDarkest[c]) - 255) * share);
  }
  return color;
}

/// Where things lie: names on the left and above, then square cells.
struct Layout {
  Layout(std::span<const std::string> classes) {
    num_classes = static_cast<Index>(classes.size());
    scale = num_classes <= 40 ? 2 : 1;
    margin = 4 * scale;
    cell = TextWidth("100", scale) + 5 * scale;
    Index widest = TextWidth("truth", scale);
    for (const std::string& name : classes) {
      names.push_back(FitText(name, TextWidth(std::string(16, 'x'), scale), scale));
      widest = std::max(widest, TextWidth(names.back(), scale));
    }
    title = TextHeight(scale) + margin;
    left = margin + title + widest + margin;
    top = margin + title + widest + margin;
    width = std::max(left + num_classes * cell, left + TextWidth("prediction", scale)) + margin;
    height = top + num_classes * cell + margin;
  }

  std::vector<std::string> names;
  Index num_classes = 0, scale = 1, margin = 0, cell = 0, title = 0, left = 0, top = 0, width = 0, height = 0;
};

void DrawNames(Canvas& canvas, const Layout& at) {
  const Index grid = at.num_classes * at.cell;
  const Index half_letter = TextHeight(at.scale) / 2;
  canvas.Text(at.left + std::max(0, grid - TextWidth("prediction", at.scale)) / 2, at.margin, "prediction",
              at.scale, kInk);
  canvas.TextUpwards(at.margin, at.top + (grid + TextWidth("truth", at.scale)) / 2, "truth", at.scale, kInk);
  for (Index k = 0; k < at.num_classes; ++k) {
    const Index middle = k * at.cell + at.cell / 2 - half_letter;
    canvas.Text(at.left - at.margin - TextWidth(at.names[k], at.scale), at.top + middle, at.names[k],
                at.scale, kInk);
    canvas.TextUpwards(at.left + middle, at.top - at.margin, at.names[k], at.scale, kInk);
  }
}

void DrawCell(Canvas& canvas, const Layout& at, Index row, Index column, double share) {
  const Index x = at.left + column * at.cell;
  const Index y = at.top + row * at.cell;
  canvas.Fill(x + 1, y + 1, at.cell - 1, at.cell - 1, Shade(share));
  if (share < 0.005) return;
  const std::string text = std::to_string(static_cast<int>(100 * share + 0.5));
  canvas.Text(x + (at.cell - TextWidth(text, at.scale) + 1) / 2, y + (at.cell - TextHeight(at.scale) + 1) / 2,
              text, at.scale, share > 0.45 ? kWhite : kInk);
}

}  // namespace

Image ConfusionPicture(std::span<const std::int64_t> counts, std::span<const std::string> classes) {
  const std::size_t num_classes = classes.size();
  SLACKLINE_CHECK(num_classes >= 1 && num_classes <= kVoid, "there are 1 to 255 classes");
  SLACKLINE_CHECK(counts.size() == num_classes * num_classes, "there is a count for every pair of classes");
  const Layout at(classes);
  Canvas canvas(at.width, at.height, kWhite);
  DrawNames(canvas, at);
  canvas.Fill(at.left, at.top, at.num_classes * at.cell + 1, at.num_classes * at.cell + 1, kLine);
  for (Index row = 0; row < at.num_classes; ++row) {
    const auto own = counts.subspan(static_cast<std::size_t>(row) * num_classes, num_classes);
    double sum = 0;
    for (const std::int64_t count : own) {
      SLACKLINE_CHECK(count >= 0, "counts are not negative");
      sum += static_cast<double>(count);
    }
    if (sum == 0) {  // a class that does not occur
      canvas.Fill(at.left + 1, at.top + row * at.cell + 1, at.num_classes * at.cell - 1, at.cell - 1, kEmpty);
      continue;
    }
    for (Index column = 0; column < at.num_classes; ++column) {
      DrawCell(canvas, at, row, column, static_cast<double>(own[column]) / sum);
    }
  }
  return canvas.Take();
}

}  // namespace slackline
