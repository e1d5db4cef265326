// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/segment_metrics.h>

#include <cmath>
#include <limits>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

double Share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole)
                   : std::numeric_limits<double>::quiet_NaN();
}

/// The mean of the values that are not NaN.
class MeanOfClasses {
 public:
  void Add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    ++count_;
  }
  double value() const {
    return count_ > 0 ? sum_ / count_ : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double sum_ = 0;
  int count_ = 0;
};

}  // namespace

void ConfusionMatrix::Add(const ConfusionMatrix& other) {
  SLACKLINE_CHECK(other.num_classes_ == num_classes_, "confusion matrices of different classes");
  for (std::size_t k = 0; k < counts_.size(); ++k) counts_[k] += other.counts_[k];
}

SegmentMetrics ComputeSegmentMetrics(const ConfusionMatrix& confusion) {
  const Index n = confusion.num_classes();
  SegmentMetrics metrics;
  std::int64_t right = 0;
  MeanOfClasses recall;
  MeanOfClasses iou;
  for (Index c = 0; c < n; ++c) {
    std::int64_t truth = 0;
    std::int64_t predicted = 0;
    for (Index k = 0; k < n; ++k) {
      truth += confusion.count(c, k);
      predicted += confusion.count(k, c);
    }
    const std::int64_t both = confusion.count(c, c);
    metrics.classes.push_back(
        {truth, Share(both, truth), Share(both, predicted), Share(both, truth + predicted - both)});
    metrics.pixels += truth;
    right += both;
    recall.Add(metrics.classes.back().recall);
    iou.Add(metrics.classes.back().iou);
  }
  SLACKLINE_CHECK(metrics.pixels > 0, "no labelled pixels to compare with");
  metrics.pixel_accuracy = Share(right, metrics.pixels);
  metrics.class_average = recall.value();
  metrics.mean_iou = iou.value();
  return metrics;
}

}  // namespace slackline::internal
