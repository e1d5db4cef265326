// SPDX-License-Identifier: BSD-3-Clause
//
// Sums of doubles without rounding errors, so that they do not depend on the order of the summands.
//
// Reference: J. R. Shewchuk (1997), "Adaptive Precision Floating-Point Arithmetic and Fast Robust
// Geometric Predicates", Discrete & Computational Geometry 18, GROW-EXPANSION: the sum is kept as
// an expansion, doubles of increasing magnitude whose bits do not overlap.
#pragma once

#include <span>
#include <vector>

namespace slackline::internal {

class ExactSum {
 public:
  ExactSum() = default;

  /// Adds a number. Neither it nor the sum may come near the largest double. Cost: about 1 ns for
  /// every part, of which there are at most 40, and seldom more than 2.
  void Add(double x);
  /// The sum, rounded once to the nearest double (halves to even).
  double Rounded() const;
  /// Doubles whose exact sum this is, none for 0.
  std::span<const double> parts() const { return parts_; }

 private:
  std::vector<double> parts_;  // not 0, ascending in magnitude
};

}  // namespace slackline::internal
