// SPDX-License-Identifier: BSD-3-Clause
//
// What is asked of all numbers that come from outside.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace slackline::internal {

/// Neither NaN nor infinite.
inline bool AllFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

}  // namespace slackline::internal
