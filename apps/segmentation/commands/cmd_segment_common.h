// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands of segmentation share. Part of the program only, where it is built with images.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/cli/training/cmd_scale.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/common/folds.h>
#include <slackline/apps/segmentation/segment_metrics.h>
#include <slackline/apps/segmentation/segment_model.h>
#include <slackline/vision/feature_extractor.h>
#include <slackline/vision/feature_file.h>
#include <slackline/vision/image.h>

namespace slackline::internal::program {

/// What `--lambda` of training commands is when it is not given, in words.
inline constexpr std::string_view kDefaultSegmentLambda = "by the data";

/// What is trained on, and what model.
struct SegmentFlags {
  std::string features;
  std::string layers = "two";
  std::string pairwise;  // empty: table, or with potentials Potts
  std::string loss = "pixels";
  std::string regions = "all";
  std::string potentials;
  ScaleFlag scale;

  void Register(CLI::App* app);
  /// Checks values that need no data. Throws DataError, as the others do for theirs.
  void Check() const;
  SegmentLayers ReadLayers() const;
  SegmentPairwise ReadPairwise() const;
  SegmentLoss ReadLoss() const;
  /// The files that are read.
  std::vector<std::string> inputs() const;
};

/// The training images of a feature file.
struct SegmentData {
  std::string source;
  std::vector<std::string> names;
  std::vector<SegmentExample> examples;
  std::shared_ptr<const FeatureRows> rows;
};

/// A model without weights for the file, and the file's training images. Throws DataError.
struct SegmentTask {
  SegmentModel model;
  SegmentData data;
  ScaledInputs scaled;  ///< its rows are those of the data
};
SegmentTask LoadSegmentTask(const SegmentFlags& flags);

/// Training on all images outside of a fold as a problem, with any λ. Throws DataError when these
/// have no labels.
Problem MakeFoldProblem(const SegmentTask& task, SegmentLoss loss, const Fold& fold);

/// The images of a role (none where the file has none), with rows of their own, for a model. Throws
/// DataError when the file does not fit the model.
struct PreparedExample {
  std::string name;
  SegmentExample example;
  std::shared_ptr<const FeatureRows> rows;
};
/// potentials: file of class potentials, for a model of such.
std::vector<PreparedExample> LoadPrepared(const std::string& path, const std::string& potentials,
                                          const SegmentModel& model, ImageRole role);

/// The pixels of an image by true and predicted class.
void AddPixels(const SegmentExample& example, std::span<const Index> predicted,
               ConfusionMatrix* confusion);

/// The model of a task, to be trained on all its images. The task must live as long.
class SegmentSession : public SessionTask {
 public:
  /// loss: what is trained; flags.loss: what is said of it. Throws DataError when no image has
  /// labels.
  SegmentSession(const SegmentFlags& flags, SegmentLoss loss, SegmentTask* task);

  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return "superpixel"; }
  std::vector<std::string> Warnings() const override { return task_.scaled.warnings; }
  double DefaultLambda(const TrainOptions& options) const override {
    return DefaultSegmentLambda(task_.model, task_.data.examples, Scales(options));
  }
  Fingerprint Context() const override;
  void Describe(const LearnerChoice& choice, const std::string& lambda) const override;
  TrainingRecord* record() override { return &task_.model.record; }
  Json Begin(const Problem& problem, const LearnerChoice& choice) override;
  void Save(const TrainSummary& summary, const std::string& path) override;

 private:
  const SegmentFlags flags_;
  SegmentTask& task_;
  Problem problem_;
};

/// Throws DataError when one of the outputs (given with `--option`) is one of the inputs, or is
/// there twice.
void CheckResults(std::string_view option, const std::vector<std::string>& outputs,
                  const std::vector<std::string>& inputs);

/// Makes the folder of `--option`, and those above it, if it is not there. Throws DataError.
void MakeFolder(std::string_view option, const std::string& path);

/// Predicts the labels of images, from files alone. Several threads may call it at a time.
class Segmenter {
 public:
  /// Throws DataError when the model's extractor is damaged or does not fit, or the model reads
  /// potentials.
  Segmenter(const SegmentModel& model, DecodeKind decode);

  struct Result {
    LabelImage labels;
    /// per fine superpixel and class: w·φ without links; empty unless asked for
    std::vector<double> scores;
    Superpixels superpixels;
    double prepare_seconds = 0;
    double predict_seconds = 0;
    bool certified = false;  ///< the labelling is known to be optimal
  };
  Result Predict(const Image& image, bool scores) const;

 private:
  static const SegmentModel& RequireFeatures(const SegmentModel& model);

  const SegmentModel& model_;
  FeatureExtractor extractor_;
  DecodeKind decode_;
};

}  // namespace slackline::internal::program
