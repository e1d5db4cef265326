// SPDX-License-Identifier: BSD-3-Clause
//
// Means over runs, which stand for expectations.
#pragma once

#include <algorithm>
#include <cmath>

#include "tests/support/tolerances.h"

namespace slackline::internal::test {

/// Numbers of which the mean is wanted.
struct MeanOfRuns {
  double sum = 0;
  double squares = 0;
  int count = 0;
  void Add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  double mean() const { return sum / count; }
  /// Four standard errors of the mean.
  double room() const {
    return 4 * std::sqrt(std::max(0.0, squares / count - mean() * mean()) / count);
  }
  /// Whether the mean may be `expected`, and neither half nor twice of it.
  bool Tells(double expected) const {
    return std::abs(mean() - expected) <= room() + kTight * expected && room() < 0.4 * expected;
  }
};

}  // namespace slackline::internal::test
