// SPDX-License-Identifier: BSD-3-Clause
//
// Metrics of segmentations, in pixels; void pixels do not count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// Numbers of pixels by true and predicted class.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(Index num_classes)
      : num_classes_(num_classes), counts_(Offset{num_classes} * num_classes, 0) {}

  Index num_classes() const { return num_classes_; }
  /// The counts by rows: row = truth, column = prediction.
  std::span<const std::int64_t> counts() const { return counts_; }
  std::int64_t count(Index truth, Index predicted) const {
    return counts_[Offset{truth} * num_classes_ + predicted];
  }
  void Add(Index truth, Index predicted, std::int64_t pixels = 1) {
    counts_[Offset{truth} * num_classes_ + predicted] += pixels;
  }
  void Add(const ConfusionMatrix& other);
  /// Replaces the counts by their sums over all ranks. All ranks must call it.
  void AddUp(Ranks& ranks) { ranks.AddUp(counts_); }

 private:
  Index num_classes_;
  std::vector<std::int64_t> counts_;
};

struct ClassFigures {
  std::int64_t pixels = 0;  ///< number of pixels of the class in the truth
  double recall = 0;        ///< fraction of these that were found; NaN if there are none
  double precision = 0;     ///< fraction of its predicted pixels that are right; NaN if none
  /// Pixels in both truth and prediction over pixels in either; NaN if there are none in either.
  double iou = 0;
};

struct SegmentMetrics {
  std::int64_t pixels = 0;    ///< number of labelled pixels
  double pixel_accuracy = 0;  ///< fraction of them that are right
  double class_average = 0;   ///< mean recall over the classes that occur in the truth
  double mean_iou = 0;        ///< mean IoU over the classes that occur in truth or prediction
  std::vector<ClassFigures> classes;
};

/// Requires at least one labelled pixel.
SegmentMetrics ComputeSegmentMetrics(const ConfusionMatrix& confusion);

}  // namespace slackline::internal
