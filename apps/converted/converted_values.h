// SPDX-License-Identifier: BSD-3-Clause
//
// What a conversion decided about the features of converted data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/core/feature_scaling.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// Rows of more bytes than this are visited window by window, unless the conversion chose.
inline constexpr std::int64_t kLeastBytesInWindows = 1'000'000'000;
/// Bytes of rows that are visited together, unless the conversion chose, …
inline constexpr std::int64_t kWindowBytes = 64'000'000;
/// … in so many windows of the file (kWindowsTogether of learning/step/window_ahead.h). Every pass
/// puts other windows together.
inline constexpr std::int64_t kWindowParts = 16;

/// The number of label bytes of a row where rows have different numbers of them.
inline constexpr Index kLabelsVary = -1;

/// How rows are divided into windows (FeatureRows::SetWindows).
struct WindowChoice {
  /// > 0: bytes of the rows that are visited together; 0: all; −1: kWindowBytes if the rows have
  /// more than kLeastBytesInWindows, else all.
  std::int64_t bytes = -1;

  bool operator==(const WindowChoice&) const = default;
};

/// What a conversion did to the values of features.
struct ConvertedValues {
  FeatureScaling scaling;
  std::string scaling_line;           ///< explains the scaling
  std::vector<std::string> warnings;  ///< of training, about the scaling
  /// Bytes of rows in a window (FeatureRows::SetWindows); 0: one window.
  std::int64_t window_bytes = 0;
  /// Names and texts of the conversion's options; records of models list them.
  std::vector<std::pair<std::string, std::string>> options;
};

/// The text of an option that the conversion has read in place of the training; `given` if the data
/// are not converted (null).
inline std::string OptionOf(const ConvertedValues* converted, std::string_view name,
                            const std::string& given) {
  if (converted == nullptr) return given;
  for (const auto& [known, text] : converted->options) {
    if (known == name) return text;
  }
  return {};
}

/// What a file of converted data says about its rows, besides the rows.
struct ConvertedFacts {
  std::vector<std::string> label_names;
  Index num_features = 0;     ///< without the constant
  bool has_constant = false;  ///< if so, feature num_features is the last value of every row
  ConvertedValues values;     ///< window_bytes does not count
  WindowChoice windows;
  // Of the conversion. With several parts, the findings of all parts count together.
  std::vector<std::string> notes;
  std::int64_t unknown_features = 0;  ///< left out, since the model does not know them
};

}  // namespace slackline::internal
