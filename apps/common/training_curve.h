// SPDX-License-Identifier: BSD-3-Clause
//
// The curve of a training run in model files: its checks, thinned to a bounded number.
#pragma once

#include <cstddef>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

/// One check during training.
struct CurvePoint {
  Index pass = 0;
  double seconds = 0;  ///< of training and checks
  double primal = kNone;
  double dual = kNone;
};

/// Collects the checks of a run. Whenever there are more than kMost, it drops every second check,
/// and from then on keeps only every second new one. The newest check is always the last point.
/// Only the number of checks decides which ones are kept.
class TrainingCurve {
 public:
  static constexpr std::size_t kMost = 200;

  void Add(const ProgressRecord& record);
  /// At most kMost + 1 points, in ascending order of passes.
  std::vector<CurvePoint> points() const;

 private:
  std::vector<CurvePoint> kept_;
  CurvePoint newest_;
  std::size_t count_ = 0;
  std::size_t stride_ = 1;
};

}  // namespace slackline::internal
