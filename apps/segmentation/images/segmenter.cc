// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/segmentation/images/segmenter.h>

#include <memory>
#include <utility>

#include <slackline/apps/segmentation/images/prepared_images.h>
#include <slackline/core/check.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/timer.h>

namespace slackline::internal {

const SegmentModel& Segmenter::RequireFeatures(const SegmentModel& model) {
  if (model.inputs() == SegmentInputs::kFeatures) return model;
  throw DataError(
      "the model reads class potentials of superpixels, which an image alone does not give; use "
      "the model in `segment evaluate` with --features and --potentials");
}

Segmenter::Segmenter(const SegmentModel& model, DecodeKind decode)
    : model_(RequireFeatures(model)),
      extractor_(FeatureExtractor::Load(model.extractor)),
      decode_(decode) {
  if (extractor_.dimension() != model.file_dimension())
    throw DataError("the model's features do not fit its weights");
}

Segmenter::Result Segmenter::Predict(const Image& image, bool scores,
                                     const StepCheck& check) const {
  Result result;
  const WallTimer preparing;
  ImageFeatures features = extractor_.Extract(image, check);
  result.prepare_seconds = preparing.Seconds();
  const WallTimer predicting;
  auto rows = std::make_shared<FeatureRows>();
  AddRows(model_, features.fine_rows, rows.get());
  if (model_.has_coarse()) AddRows(model_, features.coarse_rows, rows.get());
  SegmentExample example;
  example.graph =
      MakeGraph(features.fine.count, features.coarse.count, features.parent, features.neighbours);
  const SegmentPrediction prediction = PredictSegments(model_, example, rows, decode_);
  result.certified = prediction.certified();
  result.labels = Paint(features.fine, prediction.fine);
  result.predict_seconds = predicting.Seconds();
  if (scores) result.scores = ClassScores(model_, true, *rows, 0, features.fine.count);
  result.superpixels = std::move(features.fine);
  return result;
}

}  // namespace slackline::internal
