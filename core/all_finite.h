// SPDX-License-Identifier: BSD-3-Clause
//
// A finiteness check for numbers that come from outside the program.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace slackline::internal {

/// Whether no value is NaN or infinite.
inline bool AllFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value); });
}

}  // namespace slackline::internal
