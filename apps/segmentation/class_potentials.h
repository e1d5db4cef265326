// SPDX-License-Identifier: BSD-3-Clause
//
// Files of class potentials: a number per class for every superpixel of an image, from any
// classifier. Text with one superpixel per line and cells separated by tabs; may be compressed with
// gzip:
//   image    layer    superpixel    grass    tree    …        the first line: these three words and
//                                                             the names of the classes
//   1_1_s    fine     0             -0.31    0.92    …        layer: fine or coarse; superpixels
//                                                             count from 0 in either layer
// Lines may be in any order; empty lines are ignored.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

class ClassPotentials {
 public:
  /// Throws DataError with file, line and token when the first line does not name these classes in
  /// this order, when a line does not have the form above, and on numbers that are not finite.
  ClassPotentials(const std::string& path, const std::vector<std::string>& classes);

  /// count × classes numbers for the image's superpixels of one layer. Throws DataError when a
  /// superpixel is missing, repeated or not below `count`.
  std::vector<double> Layer(std::string_view image, bool fine, Index count) const;

 private:
  struct Row {
    Index superpixel;
    long line;
    std::size_t begin;  // index in values_
  };
  std::string path_;
  std::size_t num_classes_;
  std::map<std::string, std::vector<Row>, std::less<>> rows_;  // by image and layer
  std::vector<double> values_;
};

/// Builds the text of such a file.
class ClassPotentialsText {
 public:
  explicit ClassPotentialsText(const std::vector<std::string>& classes);
  /// `values`: superpixels × classes.
  void Add(std::string_view image, bool fine, std::span<const double> values);
  const std::string& text() const { return text_; }

 private:
  std::size_t num_classes_;
  std::string text_;
};

}  // namespace slackline::internal
