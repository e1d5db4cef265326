// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds on how many binary variables have state 1, that is, on the number of labels of an example.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include <slackline/core/types.h>

namespace slackline::internal {

/// low ≤ number of ones ≤ high. The default allows all labellings.
struct CountRange {
  Index low = 0;
  Index high = std::numeric_limits<Index>::max();

  bool Contains(Index count) const { return low <= count && count <= high; }
  /// The largest count it allows when there are `variables` variables.
  Index Most(Index variables) const { return std::min(high, variables); }
  /// Whether it excludes some labelling of `variables` variables.
  bool Restricts(Index variables) const { return low > 0 || high < variables; }
  /// Whether it is valid and allows some labelling of `variables` variables.
  bool Fits(Index variables) const { return 0 <= low && low <= high && low <= variables; }
};

inline bool operator==(const CountRange& a, const CountRange& b) {
  return a.low == b.low && a.high == b.high;
}

/// How many variables have state 1.
inline Index CountOnes(std::span<const Index> labels) {
  return static_cast<Index>(std::count(labels.begin(), labels.end(), 1));
}

}  // namespace slackline::internal
