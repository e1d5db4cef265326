// SPDX-License-Identifier: BSD-3-Clause
//
// Models for prepared images, and their examples: from feature files, or from images in memory.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/segmentation/class_potentials.h>
#include <slackline/apps/segmentation/segment_choices.h>
#include <slackline/apps/segmentation/segment_metrics.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/apps/segmentation/segment_task.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/ranks.h>
#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/feature_file.h>
#include <slackline/vision/label_coding.h>

namespace slackline::internal {

/// What a model has to know about the features and labels of prepared images.
struct ImageFormat {
  std::vector<std::string> classes;
  LabelCoding coding;  ///< of the label images
  Index dimension = 0;
  std::vector<FeatureBlock> blocks;
  std::string extractor;  ///< what FeatureExtractor::Save returned
};
ImageFormat FormatOf(const FeatureFile& file);
ImageFormat FormatOf(const FeatureExtractor& extractor, std::vector<std::string> classes,
                     LabelCoding coding);

/// The coding of the label images that the model was trained on.
LabelCoding CodingOf(const SegmentModel& model);

/// A model with all weights zero. Throws DataError when the images lack features of the chosen
/// regions.
SegmentModel MakeSegmentModel(const SegmentChoices& choices, const ImageFormat& format);

/// Appends the feature rows of some superpixels, as the model takes them; `features`: rows of
/// model.file_dimension() numbers.
void AddRows(const SegmentModel& model, const std::vector<float>& features, FeatureRows* rows);

/// The graph of an image's superpixels.
SegmentGraph MakeGraph(Index num_fine, Index num_coarse, std::span<const std::int32_t> parent,
                       std::span<const NeighbourPair> neighbours);

/// The example of an image for a model of features, whose feature rows are appended to `rows`.
SegmentExample MakeExample(const SegmentModel& model, const ImageFeatures& features,
                           const LabelImage& labels, FeatureRows* rows);

/// A model for the file with all weights zero, and the file's training images. The first bytes tell
/// whether images are converted (converted_images.h). Throws DataError. Several ranks must call
/// this function together. Each gets its own images, dealt in `shards` (RecordsOfRank; 0 = one
/// shard per rank), and errors are the same on all. ranks: as for MakeSegmentTask.
SegmentTask LoadSegmentTask(const std::string& path, const SegmentChoices& choices,
                            std::optional<ScaleKind> scale, Ranks* ranks = nullptr,
                            Index shards = 0);

/// An image of a file, with its own rows.
struct PreparedExample {
  std::string name;
  SegmentExample example;
  std::shared_ptr<const FeatureRows> rows;
};
/// Image i of a file. potentials: of a model of potentials, else null. Throws DataError when the
/// file is damaged.
PreparedExample LoadImage(const FeatureFile& file, Index i, const SegmentModel& model,
                          const ClassPotentials* potentials = nullptr);
/// The numbers of a file's training images. Throws DataError, with the path, when there are none.
std::vector<Index> TrainingImages(const FeatureFile& file, const std::string& path);
/// The prepared images of a role (none if the file has none) for a model. `potentials`: path of a
/// file of class potentials, for a model of potentials; else empty. Throws DataError when the file
/// does not fit the model. Several ranks get nearly equal pieces of the images, in their order
/// (Ranks::PieceOf).
std::vector<PreparedExample> LoadPrepared(const std::string& path, const std::string& potentials,
                                          const SegmentModel& model, ImageRole role,
                                          const Ranks& ranks = OneRank());

/// Adds the pixels of an image by true and predicted class, from its fine superpixels or from label
/// images of equal sizes.
void AddPixels(const SegmentExample& example, std::span<const Index> predicted,
               ConfusionMatrix* confusion);
void AddPixels(const LabelImage& truth, const LabelImage& predicted, ConfusionMatrix* confusion);

/// Predictions compared with labels.
struct SegmentEvaluation {
  explicit SegmentEvaluation(Index num_classes) : confusion(num_classes) {}

  ConfusionMatrix confusion;
  Index images = 0;
  Index certified = 0;  ///< number of images whose labelling is proven optimal
  double prepare_seconds = 0;
  double predict_seconds = 0;

  /// Replaces all numbers by their sums over all ranks. All ranks must call it.
  void AddUp(Ranks& ranks);
};
/// Predicts the test images of a file, with one in memory at a time. Throws DataError as
/// LoadPrepared does, and when there are none. Several ranks must call this function together: each
/// predicts some of the images, and all get the sums; a DataError on one rank is thrown on all.
SegmentEvaluation EvaluatePrepared(const std::string& path, const std::string& potentials,
                                   const SegmentModel& model, DecodeKind decode,
                                   Ranks& ranks = OneRank());

/// Whether any pixel has been compared, which ComputeSegmentMetrics requires.
bool HasPixels(const ConfusionMatrix& confusion);

}  // namespace slackline::internal
