// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/class_potentials.h>

#include <algorithm>

#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kLeadingCells = 3;

std::string_view LayerName(bool fine) { return fine ? "fine" : "coarse"; }

/// A layer name contains no tab, so keys are unique.
std::string Key(std::string_view image, std::string_view layer) {
  return std::string(image).append("\t").append(layer);
}

std::vector<std::string> Header(const std::vector<std::string>& classes) {
  std::vector<std::string> cells = {"image", "layer", "superpixel"};
  cells.insert(cells.end(), classes.begin(), classes.end());
  return cells;
}

}  // namespace

ClassPotentials::ClassPotentials(const std::string& path, const std::vector<std::string>& classes)
    : path_(path), num_classes_(classes.size()) {
  LineReader reader(path);
  const std::vector<std::string> header = Header(classes);
  std::string_view line;
  bool begun = false;
  std::vector<std::string_view> cells;
  while (reader.Next(&line)) {
    const auto fail = [&](const std::string& message) {
      throw DataError(reader.name(), reader.line_number(), message);
    };
    if (line.empty()) continue;
    // Counting the cells first avoids millions of texts for a line that consists of tabs.
    const std::size_t count = std::count(line.begin(), line.end(), '\t') + 1;
    if (begun && count != header.size())
      fail(std::to_string(count) + " cells instead of " + std::to_string(header.size()));
    if (count > 2 * header.size() + kLeadingCells)
      fail("there are " + std::to_string(count) + " cells");
    SplitViews(line, '\t', &cells);
    if (!begun) {
      begun = true;
      const auto [want, have] =
          std::mismatch(header.begin(), header.end(), cells.begin(), cells.end());
      if (want != header.end())
        fail("the first line should name " + Quoted(*want) + " in cell " +
             std::to_string(want - header.begin() + 1) +
             (have == cells.end() ? "" : ", not " + Quoted(*have)));
      if (have != cells.end())
        fail("the class " + Quoted(*have) + " is not one of the prepared images");
      continue;
    }
    if (cells[1] != LayerName(true) && cells[1] != LayerName(false))
      fail("the layer is fine or coarse, not " + Quoted(cells[1]));
    Row row{0, reader.line_number(), values_.size()};
    if (!ParseIndex(cells[2], &row.superpixel))
      fail("not the number of a superpixel: " + Quoted(cells[2]));
    for (std::size_t c = kLeadingCells; c < cells.size(); ++c) {
      double value = 0;
      if (!ParseNumber(cells[c], &value) || std::abs(value) > kLargestValue)
        fail("not a finite number: " + Quoted(cells[c]));
      values_.push_back(value);
    }
    rows_[Key(cells[0], cells[1])].push_back(row);
  }
  if (!begun) throw DataError(path, 0, "the file is empty");
}

std::vector<double> ClassPotentials::Layer(std::string_view image, bool fine, Index count) const {
  const std::string what = std::string(LayerName(fine)) + " superpixel ";
  std::vector<double> layer(count * num_classes_);
  std::vector<bool> seen(count, false);
  const auto rows = rows_.find(Key(image, LayerName(fine)));
  if (rows != rows_.end()) {
    for (const Row& row : rows->second) {
      const std::size_t i = row.superpixel;
      if (row.superpixel >= count)
        throw DataError(path_, row.line,
                        "image " + Quoted(image) + " has " + std::to_string(count) + " " +
                            std::string(LayerName(fine)) +
                            " superpixels, numbered from 0; there is no " +
                            std::to_string(row.superpixel));
      if (seen[i])
        throw DataError(
            path_, row.line,
            "image " + Quoted(image) + ": " + what + std::to_string(i) + " is given twice");
      seen[i] = true;
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(row.begin), num_classes_,
                  layer.begin() + static_cast<std::ptrdiff_t>(i * num_classes_));
    }
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing == seen.end()) return layer;
  throw DataError(path_, 0,
                  "image " + Quoted(image) + ": " + what + std::to_string(missing - seen.begin()) +
                      " has no potentials");
}

ClassPotentialsText::ClassPotentialsText(const std::vector<std::string>& classes)
    : num_classes_(classes.size()) {
  for (const std::string& cell : Header(classes))
    text_.append(text_.empty() ? "" : "\t").append(cell);
  text_ += '\n';
}

void ClassPotentialsText::Add(std::string_view image, bool fine, std::span<const double> values) {
  constexpr int kDigits = 7;
  for (std::size_t begin = 0; begin < values.size(); begin += num_classes_) {
    text_.append(image).append("\t").append(LayerName(fine)).append("\t");
    text_.append(std::to_string(begin / num_classes_));
    for (const double value : values.subspan(begin, num_classes_))
      text_.append("\t").append(NumberText(value, kDigits));
    text_ += '\n';
  }
}

}  // namespace slackline::internal
