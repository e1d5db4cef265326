// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands that train multi-label models share: the options of data and model, and the
// messages about a run. Part of the program only.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/training/cmd_scale.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/multilabel/commands/cmd_calibrate.h>
#include <slackline/apps/multilabel/label_clusters.h>
#include <slackline/apps/multilabel/label_counts.h>
#include <slackline/apps/multilabel/loss_weights.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/learning/choose_learner.h>
#include <slackline/learning/problem.h>

namespace slackline::internal::program {

/// How data are read, and how the problem is made of them.
struct DataSettings {
  MultiLabelReadOptions read;
  MultiLabelLoss loss;
  LearnerKind learner = LearnerKind::kAuto;  ///< determines how much memory is needed
  bool kernelized = false;                   ///< if so, a constant is not a feature
  bool bias = true;
  std::optional<ScaleKind> scale;          ///< nullopt: auto
  std::optional<CountRange> label_counts;  ///< nullopt: auto
};

struct DataFlags {
  std::string data;
  std::string format = "auto";
  std::string label_columns;
  std::string ignore_columns;
  std::string labels_xml;
  std::string num_labels;
  std::string graph = "full";
  std::string loss = "mean";
  std::string loss_weights = "equal";
  std::string bias = "1";
  std::string label_counts = "auto";
  ScaleFlag scale;

  void Register(CLI::App* app);
  /// Does all checks that need no data. `train`: the training options. Throws DataError.
  DataSettings Read(const TrainOptions& train) const;
  /// The input files, which outputs must not replace.
  std::vector<std::string> inputs() const { return {data, labels_xml, graph, loss_weights}; }
};

/// The settings that cross-validation needs, with these graphs as candidates.
MultiLabelCvOptions CvOptionsOf(const DataSettings& settings, std::vector<std::string> graphs);

/// A rough estimate of the seconds of a pass over this many examples and pairs of labels.
double PassSeconds(Offset pairs, Index examples);

/// Training data with scaled features.
struct TrainingData {
  MultiLabelData data;
  ScaledInputs scaled;  ///< its rows replace those of `data`
};
/// Reads the training data, checks their number of labels, and scales their features.
TrainingData ReadTrainingData(const DataFlags& flags, const DataSettings& settings);

/// The training of a model on all the data. The arguments must outlive this object.
class MultiLabelSession : public SessionTask {
 public:
  /// Throws DataError when no example has a known label, and when training needs more memory than
  /// the machine has.
  MultiLabelSession(const DataFlags& flags, const DataSettings& settings,
                    const TrainingData& training);

  /// Chooses at most `count` clusters of three labels (label_clusters.h) in this many rounds. Each
  /// round trains with the clusters chosen so far and adds its share. The problem has the clusters
  /// from then on. Returns the clusters. Throws DataError when a label is not known or the learner
  /// has no dual point. `interrupt` ends the choice.
  std::vector<LabelTriple> Tighten(const TrainOptions& options, Index count, Index rounds,
                                   const std::atomic<int>* interrupt);

  /// From now on, models are calibrated after they are written, and written again.
  void CalibrateBy(CalibrationPlan plan) { calibration_ = std::move(plan); }

  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return "label"; }
  Fingerprint Context() const override;
  std::vector<std::string> Warnings() const override;
  void Describe(const LearnerChoice& choice, const std::string& lambda) const override;
  TrainingRecord* record() override { return &model_.record; }
  Json Begin(const Problem& problem, const LearnerChoice& choice) override;
  void Save(const TrainSummary& summary, const std::string& path) override;

 private:
  const DataFlags flags_;
  const DataSettings settings_;
  const MultiLabelData& data_;
  const ScaledInputs& scaled_;
  const LossOptions loss_;
  MultiLabelModel model_;
  Problem problem_;
  std::vector<LabelTriple> clusters_;
  std::optional<CalibrationPlan> calibration_;
  TrainOptions trained_;  // of the last training
};

}  // namespace slackline::internal::program
