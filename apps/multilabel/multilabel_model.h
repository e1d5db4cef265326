// SPDX-License-Identifier: BSD-3-Clause
//
// The multi-label model (docs/notation.md, section 8). Every label is a binary variable; state 1
// means that the example has the label.
//   φ_i(x, 1) = x, with own weights per label; φ_i(x, 0) = 0
//   φ_ij = [y_i = y_j = 1], one weight per pair of the label graph
// The constant feature, if a model has one, is the last feature of x.
//
// Kernelized models compare inputs by a kernel (core/kernel.h) and store support vectors in place
// of the weights of x. The constant is then not a feature of x but a separate weight per label:
// w·φ_i(x, 1) = Σ_j c_ij k(x_j, x) + b_i.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/common/kernel_support.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/apps/multilabel/calibration.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/apps/multilabel/tables/table_entries.h>
#include <slackline/core/count_range.h>
#include <slackline/core/dataset.h>
#include <slackline/core/structure.h>
#include <slackline/inference/decode.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

class MultiLabelModel {
 public:
  /// A model with all weights zero. Requires at least one label, distinct names, at least one
  /// feature (including the constant), and pairs a < b < number of labels in strictly ascending
  /// order; else throws std::invalid_argument. `kernelized`: the constant does not count as a
  /// feature.
  MultiLabelModel(std::vector<std::string> label_names, Index num_features, bool has_constant,
                  std::vector<LabelPair> pairs, bool kernelized = false);

  Index num_labels() const { return static_cast<Index>(label_names_.size()); }
  const std::vector<std::string>& label_names() const { return label_names_; }
  Index num_features() const { return num_features_; }  ///< without the constant
  bool has_constant() const { return has_constant_; }
  /// Names of the features, without the constant; empty if features only have numbers.
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  /// Requires a name for every feature, or none.
  void set_feature_names(std::vector<std::string> names);
  /// The scaling of the features; ReadOptions() applies it to data.
  const FeatureScaling& scaling() const { return scaling_; }
  /// Requires the numbers of every feature.
  void set_scaling(FeatureScaling scaling);
  /// How the training data were read: the columns of a table, the replacements of missing values.
  const InputRecord& input() const { return input_; }
  /// Requires fill values for every feature or none; with a table, its features must be those of
  /// the model.
  void set_input(InputRecord input);
  const std::vector<LabelPair>& pairs() const { return pairs_; }
  /// The bounds on the number of labels of predictions; the default allows any number.
  const CountRange& label_counts() const { return label_counts_; }
  /// Requires a range that fits the labels.
  void set_label_counts(CountRange counts);
  /// The costs of errors in training (LossOptions::given_weights, two numbers per label); empty:
  /// all equal.
  const std::vector<double>& loss_weights() const { return loss_weights_; }
  /// Requires two finite numbers ≥ 0 for every label, or none.
  void set_loss_weights(std::vector<double> weights);

  /// One variable per label and one factor per pair, shared by all examples. Weight blocks:
  /// "labels" (a row per label, a column per feature), "bias" (a row per label) in kernelized
  /// models with a constant, and "pairs" (in the order of pairs()) if there are any.
  const std::shared_ptr<const Structure>& structure() const { return structure_; }

  /// All weights; of a kernelized model only the weights of "bias" and "pairs".
  const std::vector<double>& weights() const { return weights_; }
  /// One per label; empty without a constant.
  std::span<const double> constant_weights() const {
    if (!has_constant_) return {};
    const std::size_t labels = label_names_.size();
    const std::size_t rows = kernelized_ ? 0 : num_features_;
    return std::span(weights_).subspan(rows * labels, labels);
  }
  /// One per pair.
  std::span<const double> pair_weights() const { return std::span(weights_).last(pairs_.size()); }
  /// Requires as many finite weights as weights() has.
  void set_weights(std::vector<double> weights);

  bool kernelized() const { return kernelized_; }
  /// The support vectors with a coefficient per label; nullopt before training, and in models that
  /// are not kernelized.
  const std::optional<KernelSupport>& support() const { return support_; }
  /// Stores the result of training on `problem`: a vector of weights or, with a kernel, an
  /// expansion (learning/kernels/kernel_expansion.h).
  void SetTrained(const Problem& problem, const TrainOptions& options,
                  std::span<const double> weights);

  /// The map from scores to probabilities; nullopt unless the model was calibrated.
  const std::optional<LabelCalibration>& calibration() const { return calibration_; }
  /// Requires a sigmoid for every label, or none.
  void set_calibration(std::optional<LabelCalibration> calibration);

  /// A decoder of this model's score tables, within its label counts. Throws DataError when `kind`
  /// does not apply.
  Decoder MakeDecoder(DecodeKind kind) const {
    return {kind, structure_->shared_graph(), label_counts_};
  }

  /// Score tables w·φ_a(y_a) of all parts, in the flat order of the graph.
  void Scores(const ExampleView& example, std::span<double> scores) const;

  /// The data as examples of this model, with their labels. Requires data with the model's labels
  /// and features, as read with ReadOptions(). `counts`: a global factor forbids labellings with
  /// any other number of labels (the default forbids none).
  Dataset MakeDataset(const MultiLabelData& data, CountRange counts = {}) const;
  /// How to read data for this model.
  MultiLabelReadOptions ReadOptions() const;

  /// Writes everything that prediction needs, and the record, to a model file, atomically
  /// (core/model_file.h).
  void Save(const std::string& path) const { File().Save(path); }
  /// The contents of that file.
  ModelWriter File() const;
  /// Throws DataError when the file is damaged, not a model, or of another task, or when its
  /// entries contradict each other.
  static MultiLabelModel Load(ModelReader file);
  static MultiLabelModel Load(const std::string& path) { return Load(ModelReader(path)); }

  TrainingRecord record;

 private:
  std::shared_ptr<const Structure> StructureWith(CountRange counts) const;

  std::vector<std::string> label_names_;
  Index num_features_;
  bool has_constant_;
  bool kernelized_;
  std::vector<LabelPair> pairs_;
  std::vector<std::string> feature_names_;
  FeatureScaling scaling_;
  InputRecord input_;
  CountRange label_counts_;
  std::vector<double> loss_weights_;
  std::shared_ptr<const Structure> structure_;
  std::vector<double> weights_;
  std::optional<KernelSupport> support_;
  std::optional<LabelCalibration> calibration_;
};

/// The entry "task" of the model files of this class.
inline constexpr std::string_view kMultiLabelTask = "multilabel";

}  // namespace slackline::internal
