// SPDX-License-Identifier: BSD-3-Clause
//
// The gap of one way to train as a function of its work, and the work that an extrapolation of this
// curve predicts until a given gap.
#pragma once

#include <vector>

#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// The smallest gap so far as a function of the work. At 64 points, every other one is dropped.
class GapCurve {
 public:
  /// Adds a point. work: array entries touched, > 0 and not less than that of the previous point. A
  /// gap that is not finite is ignored.
  void Add(double work, double gap);

  /// The predicted work until the gap is `target` > 0, if the logarithm of the gap keeps falling as
  /// it did over the second half of the work. At most ten times the work so far, which is also the
  /// result where the gap did not fall over that half. ∞ without points.
  double Remaining(double target) const;

  /// The same if the gap keeps falling as a power of the work.
  double RemainingOfPower(double target) const;

  /// Whether the gap did not fall over the second half of the work. True without points.
  bool Stalled() const;

  void Clear() { points_.clear(); }
  /// Multiplies all gaps by `factor`.
  void Multiply(double factor);

  void Archive(StateArchive* archive);

 private:
  struct Point {
    double work = 0;
    double gap = 0;
  };
  /// The predicted work from the last point to `target`. rest(half, last, fallen) makes the
  /// prediction from two points and the fall of the logarithm of the gap between them.
  template <class Rest>
  double RemainingBy(double target, const Rest& rest) const;
  /// The first point of the second half of the work. Requires a point.
  const Point& Half() const;

  std::vector<Point> points_;
};

}  // namespace slackline::internal
