// SPDX-License-Identifier: BSD-3-Clause
//
// Labels for images by a trained model.
#pragma once

#include <vector>

#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/image.h>

namespace slackline::internal {

/// Predicts the labels of images directly from their pixels. Several threads may use it at once.
class Segmenter {
 public:
  /// The model must outlive this object. Throws DataError when the model's extractor is damaged or
  /// does not fit, or if the model reads potentials.
  Segmenter(const SegmentModel& model, DecodeKind decode);

  struct Result {
    LabelImage labels;
    /// Per fine superpixel and class: w·φ without links. Empty unless asked for.
    std::vector<double> scores;
    Superpixels superpixels;
    double prepare_seconds = 0;
    double predict_seconds = 0;
    bool certified = false;  ///< whether the labelling is proven optimal
  };
  Result Predict(const Image& image, bool scores, const StepCheck& check = nullptr) const;

  const ExtractorOptions& options() const { return extractor_.options(); }

 private:
  static const SegmentModel& RequireFeatures(const SegmentModel& model);

  const SegmentModel& model_;
  FeatureExtractor extractor_;
  DecodeKind decode_;
};

}  // namespace slackline::internal
