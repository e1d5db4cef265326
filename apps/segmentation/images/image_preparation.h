// SPDX-License-Identifier: BSD-3-Clause
//
// Turns labelled images into superpixels with features: an extractor is learned from the training
// images, then the extractor turns all images into features.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/segmentation/images/prepared_images.h>
#include <slackline/apps/segmentation/segment_choices.h>
#include <slackline/apps/segmentation/segment_task.h>
#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/image.h>
#include <slackline/vision/label_coding.h>

namespace slackline::internal {

/// An image and its labels, of the same size.
struct LabelledImage {
  Image image;
  LabelImage labels;
};

/// The images to prepare, and how. Several threads call the functions at once, more than once for
/// every image. An exception from a function ends the work.
struct PreparationRequest {
  Index num_train = 0;  ///< the first images are for training
  Index num_images = 0;
  ImageSource image;
  std::function<LabelledImage(Index)> labelled;
  std::vector<std::string> classes;
  LabelCoding coding;  ///< of the files that the labels come from
  ExtractorOptions extractor;
  int threads = 1;
};

/// Either function may be empty. An exception of either ends the work.
struct PreparationProgress {
  /// Receives the name of a stage and how many of its images are done, from one thread at a time: 0
  /// when the stage begins.
  std::function<void(std::string_view, Index, Index)> stage;
  StepCheck check;
};

/// Results depend on the request alone, not on the number of threads. The functions must be called
/// in the order of their declaration; Check may be left out.
class ImagePreparation {
 public:
  static constexpr std::string_view kChecking = "checking";
  static constexpr std::string_view kWords = "learning words";
  static constexpr std::string_view kComponents = "learning components";
  static constexpr std::string_view kFeatures = "features";

  /// Requires at least one training image.
  ImagePreparation(PreparationRequest request, PreparationProgress progress);

  /// Reads all images once, so that an error in the last one does not come after hours of work.
  /// Returns the number of pixels of every class in the training images.
  std::vector<Offset> Check();
  /// Learns the extractor from the training images.
  void Learn();
  /// Receives the features and labels of an image: take(i, features, labels).
  using Take = std::function<void(Index, const ImageFeatures&, const LabelImage&)>;
  /// Passes all images on in their order, or the training images only.
  void Extract(bool train_only, const Take& take);

  const PreparationRequest& request() const { return request_; }
  /// Requires Learn.
  const FeatureExtractor& extractor() const { return *extractor_; }

 private:
  template <class Work>
  void ForImages(std::string_view stage, Index begin, Index end, Index all, const Work& work);
  void CheckStage(std::string_view stage, Index done, Index all) const;

  const PreparationRequest request_;
  const PreparationProgress progress_;
  std::unique_ptr<FeatureExtractor> extractor_;
};

/// Writes all images into a feature file, after Learn, and passes them on to `take`, which may be
/// empty. `name`: the name of an image. Throws DataError when the file cannot be written.
void WriteFeatureFile(const std::string& path, const std::function<std::string(Index)>& name,
                      ImagePreparation* preparation, const ImagePreparation::Take& take);

/// A model with all weights zero, and the training images of a preparation after Learn. source: the
/// name of the data in messages and records. exactly: ExactRanks of the training options, of one
/// process. Throws DataError.
SegmentTask PrepareSegmentTask(const std::string& source, const SegmentChoices& choices,
                               std::optional<ScaleKind> scale, ImagePreparation* preparation,
                               Ranks* exactly = nullptr);

}  // namespace slackline::internal
