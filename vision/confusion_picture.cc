// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <slackline/core/check.h>
#include <slackline/vision/canvas.h>
#include <slackline/vision/pictures.h>

namespace slackline::internal {

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

constexpr std::string_view kTitle = "Confusion matrix";
constexpr std::string_view kRowAxis = "true class";
constexpr std::string_view kColumnAxis = "predicted class";
constexpr std::string_view kNoPixels = "no pixels";
constexpr std::string_view kLegend =
    "rows: true class, columns: predicted class, numbers: percent of the true class's pixels (none "
    "below 0.5), grey rows: classes without pixels";
constexpr std::size_t kLeastColumns = 26;  // letters per line of the legend, at least

/// Breaks a text at blanks into lines of at most `width` pixels; a longer word gets its own line.
std::vector<std::string> WrapText(std::string_view text, Index width, Index scale) {
  std::vector<std::string> lines(1);
  while (!text.empty()) {
    const std::string word(text.substr(0, text.find(' ')));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || TextWidth(longer, scale) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

/// The positions of all parts: the title, class names on the left and above, square cells, and the
/// legend below.
struct Layout {
  explicit Layout(std::span<const std::string> classes) {
    num_classes = static_cast<Index>(classes.size());
    scale = num_classes <= 40 ? 2 : 1;
    margin = 4 * scale;
    cell = TextWidth("100", scale) + 5 * scale;
    line = TextHeight(scale) + 4 * scale;  // letters reach two pixels of the font below their line
    Index widest = 0;
    for (const std::string& name : classes) {
      names.push_back(FitText(name, TextWidth(std::string(16, 'x'), scale), scale));
      widest = std::max(widest, TextWidth(names.back(), scale));
    }
    left = margin + line + widest + margin;
    top = margin + 2 * line + widest + margin;
    const Index least = TextWidth(std::string(kLeastColumns, 'x'), scale);
    // The axis names need room even where there are few classes.
    grid_height = std::max(num_classes * cell, TextWidth(kRowAxis, scale));
    width =
        std::max({left + num_classes * cell, left + TextWidth(kColumnAxis, scale), least}) + margin;
    legend = WrapText(kLegend, width - 2 * margin, scale);
    legend_top = top + grid_height + 2 * margin;
    height = legend_top + static_cast<Index>(legend.size()) * line + margin;
  }

  std::vector<std::string> names;
  std::vector<std::string> legend;
  Index num_classes = 0, scale = 1, margin = 0, cell = 0, line = 0;
  Index left = 0, top = 0, grid_height = 0, legend_top = 0, width = 0, height = 0;
};

void DrawNames(Canvas& canvas, const Layout& at) {
  const Index grid = at.num_classes * at.cell;
  const Index half_letter = TextHeight(at.scale) / 2;
  canvas.Text(at.margin, at.margin, kTitle, at.scale, kInk);
  canvas.Text(at.left + std::max(0, grid - TextWidth(kColumnAxis, at.scale)) / 2,
              at.margin + at.line, kColumnAxis, at.scale, kInk);
  canvas.TextUpwards(at.margin, at.top + (at.grid_height + TextWidth(kRowAxis, at.scale)) / 2,
                     kRowAxis, at.scale, kInk);
  for (std::size_t k = 0; k < at.legend.size(); ++k)
    canvas.Text(at.margin, at.legend_top + static_cast<Index>(k) * at.line, at.legend[k], at.scale,
                kInk);
  for (Index k = 0; k < at.num_classes; ++k) {
    const Index middle = k * at.cell + at.cell / 2 - half_letter;
    canvas.Text(at.left - at.margin - TextWidth(at.names[k], at.scale), at.top + middle,
                at.names[k], at.scale, kInk);
    canvas.TextUpwards(at.left + middle, at.top - at.margin, at.names[k], at.scale, kInk);
  }
}

/// Draws the row of a class without pixels.
void DrawEmptyRow(Canvas& canvas, const Layout& at, Index row) {
  const Index y = at.top + row * at.cell;
  const Index width = at.num_classes * at.cell - 1;
  canvas.Fill(at.left + 1, y + 1, width, at.cell - 1, kEmpty);
  const std::string text = FitText(kNoPixels, width - 2 * at.margin, at.scale);
  canvas.Text(at.left + (width - TextWidth(text, at.scale)) / 2,
              y + (at.cell - TextHeight(at.scale) + 1) / 2, text, at.scale, kInk);
}

void DrawCell(Canvas& canvas, const Layout& at, Index row, Index column, double share) {
  const Index x = at.left + column * at.cell;
  const Index y = at.top + row * at.cell;
  canvas.Fill(x + 1, y + 1, at.cell - 1, at.cell - 1, Shade(share));
  if (share < 0.005) return;
  const std::string text = std::to_string(std::lround(100 * share));
  canvas.Text(x + (at.cell - TextWidth(text, at.scale) + 1) / 2,
              y + (at.cell - TextHeight(at.scale) + 1) / 2, text, at.scale,
              share > 0.45 ? kWhite : kInk);
}

}  // namespace

Image ConfusionPicture(std::span<const std::int64_t> counts, std::span<const std::string> classes) {
  const std::size_t num_classes = classes.size();
  SLACKLINE_CHECK(num_classes >= 1 && num_classes <= kVoid, "there are 1 to 255 classes");
  SLACKLINE_CHECK(counts.size() == num_classes * num_classes,
                  "there is a count for every pair of classes");
  const Layout at(classes);
  Canvas canvas(at.width, at.height, kWhite);
  DrawNames(canvas, at);
  canvas.Fill(at.left, at.top, at.num_classes * at.cell + 1, at.num_classes * at.cell + 1, kLine);
  for (Index row = 0; row < at.num_classes; ++row) {
    const auto own = counts.subspan(row * num_classes, num_classes);
    double sum = 0;
    for (const std::int64_t count : own) {
      SLACKLINE_CHECK(count >= 0, "counts are not negative");
      sum += static_cast<double>(count);
    }
    if (sum == 0) {
      DrawEmptyRow(canvas, at, row);
      continue;
    }
    for (Index column = 0; column < at.num_classes; ++column) {
      DrawCell(canvas, at, row, column, static_cast<double>(own[column]) / sum);
    }
  }
  return canvas.Take();
}

}  // namespace slackline::internal
