// SPDX-License-Identifier: BSD-3-Clause
//
// The course of a training as model files keep it: its checks, thinned to a bounded number.
#pragma once

#include <cstddef>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

/// One check of a training.
struct CurvePoint {
  Index pass = 0;
  double seconds = 0;  ///< of training and of checks
  double primal = kNone;
  double dual = kNone;
};

/// Collects the checks of a run. While there are more than kMost, every second one is dropped and
/// only every second one that follows is taken, but the newest is always the last point. Which ones
/// are kept depends on their number alone.
class TrainingCurve {
 public:
  static constexpr std::size_t kMost = 200;

  void Add(const ProgressRecord& record);
  /// At most kMost + 1 points, passes rising.
  std::vector<CurvePoint> points() const;

 private:
  std::vector<CurvePoint> kept_;
  CurvePoint newest_;
  std::size_t count_ = 0;
  std::size_t stride_ = 1;
};

}  // namespace slackline::internal
