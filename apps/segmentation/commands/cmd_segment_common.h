// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands of segmentation share. Part of the program only, if it is built with images.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/cli/training/cmd_scale_flag.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/common/folds.h>
#include <slackline/apps/segmentation/segment_metrics.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/apps/segmentation/segment_task.h>
#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/feature_file.h>
#include <slackline/vision/image.h>

namespace slackline::internal::program {

/// The default text of --lambda in training commands.
inline constexpr std::string_view kDefaultSegmentLambda = "from the data";

/// The options of training data and model.
struct SegmentFlags {
  std::string features;
  std::string layers = "two";
  std::string pairwise;  // empty: table, or with potentials Potts
  std::string loss = "pixels";
  std::string regions = "all";
  std::string potentials;
  ScaleFlag scale;

  void Register(CLI::App* app);
  /// Checks the values that need no data. The functions below check their own. All throw DataError.
  void Check() const;
  SegmentLayers ReadLayers() const;
  SegmentPairwise ReadPairwise() const;
  SegmentLoss ReadLoss() const;
  /// The input files.
  std::vector<std::string> inputs() const;
};

/// A model for the file with all weights zero, and the file's training images. Throws DataError.
SegmentTask LoadSegmentTask(const SegmentFlags& flags);

/// The training problem on all images outside a fold, with an arbitrary λ. Throws DataError when
/// these images have no labels.
Problem MakeFoldProblem(const SegmentTask& task, SegmentLoss loss, const Fold& fold);

/// The prepared images of a role (none if the file has none), each with its own rows, for a model.
/// Throws DataError when the file does not fit the model.
struct PreparedExample {
  std::string name;
  SegmentExample example;
  std::shared_ptr<const FeatureRows> rows;
};
/// `potentials`: file of class potentials, for a model of potentials.
std::vector<PreparedExample> LoadPrepared(const std::string& path, const std::string& potentials,
                                          const SegmentModel& model, ImageRole role);

/// Adds the pixels of an image by true and predicted class.
void AddPixels(const SegmentExample& example, std::span<const Index> predicted,
               ConfusionMatrix* confusion);

/// The training of a task's model on all its images. The task must outlive this object.
class SegmentSession : public SessionTask {
 public:
  /// `loss` is used in training; flags.loss is only for messages and records. Throws DataError when
  /// no image has labels.
  SegmentSession(const SegmentFlags& flags, SegmentLoss loss, SegmentTask* task);

  SegmentTraining& training() override { return training_; }
  void Describe(const LearnerChoice& choice, const std::string& lambda) const override;
  Json StartEntries(const Problem& problem, const LearnerChoice& choice) const override;

 private:
  const SegmentFlags flags_;
  SegmentTraining training_;
};

/// Throws DataError when an output (given with `--option`) is one of the inputs or occurs twice.
void CheckResults(std::string_view option, const std::vector<std::string>& outputs,
                  const std::vector<std::string>& inputs);

/// Creates the folder of `--option` and its parents if they do not exist. Throws DataError.
void MakeFolder(std::string_view option, const std::string& path);

/// Predicts the labels of images directly from image files. Several threads may use it at once.
class Segmenter {
 public:
  /// Throws DataError when the model's extractor is damaged or does not fit, or if the model reads
  /// potentials.
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
  Result Predict(const Image& image, bool scores) const;

 private:
  static const SegmentModel& RequireFeatures(const SegmentModel& model);

  const SegmentModel& model_;
  FeatureExtractor extractor_;
  DecodeKind decode_;
};

}  // namespace slackline::internal::program
