// SPDX-License-Identifier: BSD-3-Clause
//
// The gap of one way to train over the work that went into it, and what is still to be done if it
// goes on like that.
#pragma once

#include <vector>

#include <slackline/learning/state_archive.h>

namespace slackline::internal {

/// The smallest gap so far over the work, with fewer points the longer it gets. Memory: some 64
/// points.
class GapCurve {
 public:
  /// work: array entries touched, > 0 and never less than before. A gap that is not finite is left
  /// out.
  void Add(double work, double gap);

  /// The work that is still to be done to `target` > 0 if the logarithm of the gap goes on falling
  /// as it did over the second half of the work; ten times the work so far where nothing was gained
  /// lately. ∞ without points.
  double Remaining(double target) const;

  /// The same if the gap goes on falling as a power of the work.
  double RemainingOfPower(double target) const;

  /// Whether the gap did not fall over the second half of the work. True without points.
  bool Stalled() const;

  void Clear() { points_.clear(); }
  /// All gaps become that many times what they are.
  void Multiply(double factor);

  void Archive(StateArchive* archive);

 private:
  struct Point {
    double work = 0;
    double gap = 0;
  };
  /// The work from the last point to `target`. rest(half, last, fallen): by the points and by how
  /// far the logarithm of the gap fell between them.
  template <class Rest>
  double RemainingBy(double target, const Rest& rest) const;
  /// The first point of the second half of the work. Requires a point.
  const Point& Half() const;

  std::vector<Point> points_;
};

}  // namespace slackline::internal
