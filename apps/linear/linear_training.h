// SPDX-License-Identifier: BSD-3-Clause
//
// The training of a linear model on data in memory: the problems of linear_learner.h. With numbers
// and a constant, the mean of the numbers is subtracted first, and becomes the model's offset.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/cross_validation.h>
#include <slackline/apps/linear/linear_data.h>
#include <slackline/apps/linear/linear_model.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/apps/training/train_task.h>
#include <slackline/learning/standalone/linear_learner.h>

namespace slackline::internal {

/// σ of --regulariser l1 by default, as a share of the smallest one for which all weights are 0.
inline constexpr double kDefaultL1Share = 0.01;

struct LinearTrainingOptions {
  LinearLoss loss;
  LinearRegulariser regulariser = LinearRegulariser::kL2;
  std::optional<double> l1;  ///< σ; nullopt: 0, and from the data for problem (6)
  bool constant = true;
  std::optional<ScaleKind> scale;  ///< nullopt: auto
  LinearLearnerOptions learner;
  RecordTexts texts;  ///< without the name of the data; an option "l1" gets the value used
};

/// The default λ follows learning/default_lambda.h. For the absolute loss it is divided by the
/// standard deviation of the labels, so that it follows their unit.
class LinearTraining final : public TrainTask {
 public:
  /// Throws what ScaleForTraining throws, and DataError when σ is out of range.
  LinearTraining(LinearData data, const LinearTrainingOptions& options);

  /// The data; their rows are scaled, and their labels are those of the file.
  const LinearData& data() const { return data_; }
  const LinearModel& model() const { return model_; }

  LearnerChoice Choose(const TrainOptions& options) const override;
  std::unique_ptr<Trainer> MakeTrainer(const TrainOptions& options,
                                       double preparation_limit_seconds = 0,
                                       const std::atomic<int>* interrupt = nullptr) const override;
  Index TotalExamples(const TrainOptions& options) const override;
  double DefaultLambda(const TrainOptions& options) const override;
  std::string_view VariableNoun() const override { return "example"; }
  std::vector<std::string> DataLines() const override;
  std::string ModelText() const override;
  TaskEntries StartEntries() const override;
  std::vector<std::string> Warnings() const override;
  Fingerprint Context() const override;
  TrainingRecord* record() override { return &model_.record; }
  RecordTexts Texts() const override;
  bool Records(const OptionRecord& option) const override;
  void SetWeights(const TrainOptions& /*options*/, const std::vector<double>& weights) override {
    model_.SetTrained(weights, offset_);
  }
  void Save(const std::string& path) const override { model_.Save(path); }

 private:
  CostScales ComputeScales(const TrainOptions& options) const override;

  LinearTrainingOptions options_;
  LinearData data_;
  ScaledInputs scaled_;
  LinearModel model_;
  double offset_ = 0;
  LinearProblem problem_;  // its λ is set by the trainer
  double largest_l1_ = 0;
};

/// The shared options that linear models read.
inline constexpr std::string_view kLinearTrainOptions[] = {
    "lambda", "gap-tolerance", "absolute-gap", "max-passes", "time-limit", "check-every", "seed"};

/// Cross-validation over λ. The figures are those of LinearFigures.
class LinearCv final : public CvApplication {
 public:
  /// The training must outlive this object.
  LinearCv(const LinearTraining& training, const LinearTrainingOptions& options)
      : training_(training), options_(options) {}

  std::string source() const override { return training_.data().source; }
  Index num_examples() const override { return training_.data().num_examples(); }
  bool HasKnownLabel(Index /*example*/) const override { return true; }
  std::unique_ptr<FoldTrial> MakeTrial(std::size_t candidate, const Fold& fold,
                                       const TrainOptions& options) const override;

 private:
  const LinearTraining& training_;
  const LinearTrainingOptions options_;
};

}  // namespace slackline::internal
