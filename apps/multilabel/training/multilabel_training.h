// SPDX-License-Identifier: BSD-3-Clause
//
// The training of a multi-label model on data in memory.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/common/folds.h>
#include <slackline/apps/multilabel/label_clusters.h>
#include <slackline/apps/multilabel/label_counts.h>
#include <slackline/apps/multilabel/loss_weights.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/multilabel/validation/multilabel_cv.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/core/ranks.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The folds whose held-out scores calibrate a model.
inline constexpr Index kCalibrationFolds = 5;

/// How a problem is made of data.
struct MultiLabelTrainingOptions {
  LabelGraph graph = "full";
  MultiLabelLoss loss;
  LearnerKind learner = LearnerKind::kAuto;  ///< determines how much memory is needed
  bool kernelized = false;                   ///< if so, a constant is not a feature
  bool constant = true;
  std::optional<CountRange> label_counts;  ///< nullopt: auto
  /// The texts of the record, without the name of the data, clusters and calibration.
  RecordTexts texts;
  /// The processes that train together, each with its own examples (ExactRanks of the training
  /// options); null: this process alone.
  Ranks* ranks = nullptr;

  Ranks& the_ranks() const { return RanksOrOne(ranks); }
};

/// What cross-validation needs of the options; its candidates are these graphs.
MultiLabelCvOptions CvOptionsOf(const MultiLabelTrainingOptions& options,
                                std::vector<LabelGraph> graphs);

/// A rough estimate of the seconds of a pass over this many examples and pairs of labels.
double PassSeconds(Offset pairs, Index examples);

/// Names of the features for messages: feature_names, or numbers from 1.
ScaleInputs ScaleInputsOf(const MultiLabelData& data);

/// Counts of the data of all ranks, for descriptions.
struct MultiLabelTotals {
  Index examples = 0;
  Offset on = 0;       ///< labels of examples that are on
  Offset unknown = 0;  ///< labels of examples that are not known
  Offset entries = 0;  ///< examples × labels
};

/// The training of a model on all of the data, whose rows are scaled.
///
/// With several ranks, all of them make an object with the same options, each for its own examples,
/// and the models are equal. DataErrors are thrown on all ranks.
class MultiLabelTraining final : public ProblemTask {
 public:
  /// `data` and `scaled` must outlive this object. Throws DataError when no example has a known
  /// label, with several ranks when any example has none (RequireExamples), and when training needs
  /// more memory than the machine has.
  MultiLabelTraining(const MultiLabelData& data, const ScaledInputs& scaled,
                     MultiLabelTrainingOptions options);

  /// Chooses at most `count` clusters of three labels (label_clusters.h) in this many rounds, and
  /// returns them. Each round trains with the clusters chosen so far and adds its share. The
  /// problem has the clusters from then on. Throws DataError when a label is not known or the
  /// learner has no dual point. `interrupt` ends the choice. Several ranks choose the same
  /// clusters.
  std::vector<LabelTriple> Tighten(const TrainOptions& options, Index count, Index rounds,
                                   const std::atomic<int>* interrupt);
  const std::vector<LabelTriple>& clusters() const { return clusters_; }

  /// From now on the record says that models are calibrated in this many folds.
  void RecordCalibration(Index folds) { calibration_folds_ = folds; }
  /// Trains once more for every fold, with the options of the last training, and sets the model's
  /// calibration. Returns the calibrated probabilities of the held-out examples, examples × labels
  /// by rows; nullopt if interrupted, and the model then has no calibration. Several ranks share
  /// the folds: each has all examples for that time (JoinExamples), and gets all probabilities.
  std::optional<std::vector<double>> Calibrate(const Folds& folds,
                                               const std::atomic<int>* interrupt);

  const Problem& problem() const override { return problem_; }
  std::string_view VariableNoun() const override { return "label"; }
  std::vector<std::string> DataLines() const override;
  std::string ModelText() const override;
  TaskEntries StartEntries() const override;
  std::vector<std::string> Warnings() const override;
  Fingerprint Context() const override;
  TrainingRecord* record() override { return &model_.record; }
  RecordTexts Texts() const override;
  void SetWeights(const TrainOptions& options, const std::vector<double>& weights) override;
  void Save(const std::string& path) const override { model_.Save(path); }

  const MultiLabelData& data() const { return data_; }
  const ScaledInputs& scaled() const { return scaled_; }
  const MultiLabelTrainingOptions& options() const { return options_; }
  const MultiLabelTotals& totals() const { return totals_; }
  const MultiLabelModel& model() const { return model_; }

 private:
  std::string LossWeightsText() const;

  const MultiLabelData& data_;
  const ScaledInputs& scaled_;
  const MultiLabelTrainingOptions options_;
  const LossOptions loss_;
  MultiLabelModel model_;
  Problem problem_;
  MultiLabelTotals totals_;
  Index num_examples_ = 0;   // of the problem, on all ranks together
  Index most_examples_ = 0;  // on one rank
  std::vector<LabelTriple> clusters_;
  Index calibration_folds_ = 0;
};

/// Folds for calibration, over the examples of all ranks. Throws DataError when there are too few
/// examples for this many folds.
Folds CalibrationFolds(const MultiLabelData& data, Index folds, std::int64_t seed, Ranks& ranks);

}  // namespace slackline::internal
