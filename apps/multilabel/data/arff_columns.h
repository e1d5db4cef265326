// SPDX-License-Identifier: BSD-3-Clause
//
// The roles of the attributes of an ARFF file: labels and features.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/data/arff_header.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// One attribute, which is a label or `width` features.
struct ArffColumn {
  std::string name;
  Index label = kAbsent;
  bool left_out = false;  ///< neither a label nor a feature
  Index first_feature = 0;
  Index width = 1;
  bool nominal = false;
  bool one_hot = false;
  /// Nominal: each value and its position in the declaration, sorted by value.
  std::vector<std::pair<std::string, Index>> positions;
  std::vector<double> numbers;            ///< nominal but not one-hot: the number of each position
  std::vector<std::int8_t> label_values;  ///< nominal labels: 0 or 1 for each position
  Offset missing = 0;                     ///< number of missing values

  /// The position of a nominal value in its declaration, or kAbsent. Logarithmic time.
  Index Position(std::string_view value) const;
};

/// The column without label and first feature. Throws DataError on numbers beyond 1e50 among
/// nominal values.
ArffColumn MakeArffColumn(const std::string& file, const ArffAttribute& attribute);

/// Appends the names of the attribute's features: its own name, or attribute=value for each value.
void NameArffFeatures(const ArffAttribute& attribute, const ArffColumn& column,
                      std::vector<std::string>* names);

}  // namespace slackline::internal
