// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace slackline::internal {

/// part / whole, or `of_nothing` if the whole is 0.
template <class Number>
double Ratio(Number part, Number whole, double of_nothing = 0) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : of_nothing;
}

}  // namespace slackline::internal
