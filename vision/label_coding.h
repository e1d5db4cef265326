// SPDX-License-Identifier: BSD-3-Clause
//
// What the values of label images mean: some are void, the others are the classes in order. The
// smallest value that is not void is class 0, the next one class 1, and so on:
//   void 255     classes are 0, 1, 2, …   (Pascal VOC; the default)
//   void 0       classes are 1, 2, 3, …   (MSRC)
//   void 0, 255  classes are 1, 2, 3, …
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// The number of pixels without a label.
inline constexpr std::uint8_t kVoid = 255;

class LabelCoding {
 public:
  /// Requires 1 … 254 different values, in ascending order.
  explicit LabelCoding(std::vector<std::uint8_t> void_values = {kVoid});

  const std::vector<std::uint8_t>& void_values() const { return void_values_; }
  /// Whether 255 is the only void value, so that values are class numbers.
  bool plain() const { return void_values_.size() == 1 && void_values_[0] == kVoid; }
  /// The largest number of classes, at most 255.
  Index most_classes() const { return 256 - static_cast<Index>(void_values_.size()); }

  /// The class number of a value, or kVoid.
  std::uint8_t ClassOf(std::uint8_t value) const { return class_of_[value]; }
  /// The value of a class number. Requires label < most_classes() or label = kVoid, whose value is
  /// the largest void value.
  std::uint8_t ValueOf(std::uint8_t label) const;

  /// For messages: "0", "0 or 255".
  std::string VoidText() const;

 private:
  std::vector<std::uint8_t> void_values_;
  std::array<std::uint8_t, 256> class_of_;
  std::array<std::uint8_t, 256> value_of_;  // of classes, and of kVoid
};

}  // namespace slackline::internal
