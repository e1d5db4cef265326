// SPDX-License-Identifier: BSD-3-Clause
//
// The model of one class per example (Crammer and Singer, JMLR 2001). The only variable is the
// class, with K states; with D features
//   φ(x, y) = x in row y of "classes" (K × D), and, if there is a constant, 1 in row y of "bias".
// The constants are regularised like all weights. Training has the constant as the last feature of
// x, unless it uses a kernel; the weights have the same order both ways (core/weights.h).
//
// Models trained with a kernel (core/kernel.h) store support vectors in place of the weights of
// "classes", which are then 0.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/common/kernel_support.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/apps/multiclass/model_inputs.h>
#include <slackline/core/dataset.h>
#include <slackline/core/structure.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

class MulticlassModel {
 public:
  /// A model with all weights zero. Requires at least two classes, distinct names, at least one
  /// feature, and a number of weights that fits into an Index; else throws std::invalid_argument.
  MulticlassModel(std::vector<std::string> class_names, Index num_features, bool has_constant);

  const std::vector<std::string>& class_names() const { return class_names_; }
  Index num_classes() const { return static_cast<Index>(class_names_.size()); }
  Index num_features() const { return inputs_.num_features(); }  ///< without the constant
  bool has_constant() const { return constant_block_ >= 0; }
  /// Features, scaling, and how data are read: see ModelInputs.
  const std::vector<std::string>& feature_names() const { return inputs_.feature_names(); }
  void set_feature_names(std::vector<std::string> names) {
    inputs_.set_feature_names(std::move(names));
  }
  const FeatureScaling& scaling() const { return inputs_.scaling(); }
  void set_scaling(FeatureScaling scaling) { inputs_.set_scaling(std::move(scaling)); }
  const InputRecord& input() const { return inputs_.input(); }
  const std::string& class_column() const { return inputs_.class_column(); }
  void set_input(InputRecord input, std::string class_column) {
    inputs_.set_input(std::move(input), std::move(class_column));
  }
  MultiLabelReadOptions ReadOptions() const { return inputs_.ReadOptions(class_names_); }
  const std::shared_ptr<const WeightLayout>& layout() const { return layout_; }

  /// One example per row, with these labels, which are classes of the model or kUnlabelled. The
  /// rows have the constant as feature num_features(), if there is one, except with a kernel.
  Dataset MakeDataset(std::shared_ptr<const FeatureRows> rows, std::span<const Index> labels,
                      bool kernelized) const;
  /// The same with these examples only.
  Dataset MakeDataset(std::shared_ptr<const FeatureRows> rows, std::span<const Index> labels,
                      std::span<const Index> examples, bool kernelized) const;

  const std::vector<double>& weights() const { return weights_; }
  /// Requires as many finite weights as the layout has.
  void set_weights(std::vector<double> weights);
  /// Stores the result of training on `problem`: a vector of weights or, with a kernel, an
  /// expansion (learning/kernels/kernel_expansion.h).
  void SetTrained(const Problem& problem, const TrainOptions& options,
                  std::span<const double> weights);
  /// The support vectors with a coefficient per class; nullopt without a kernel.
  const std::optional<KernelSupport>& support() const { return support_; }
  /// The weights of single blocks; "bias" is empty without a constant.
  std::span<const double> class_weights() const;
  std::span<const double> constant_weights() const;
  /// scores[y] = w·φ(x, y) for scaled features x.
  void Scores(const FeatureRow& x, std::span<double> scores) const;
  /// The same for a row of training data, which has the constant where MakeDataset says so.
  void TrainingScores(const FeatureRow& x, std::span<double> scores) const;

  /// The costs of errors in training, [true class, predicted class] by rows; empty: 1 for every
  /// error, or not known.
  std::span<const double> costs() const;

  TrainingRecord record;

  void Save(const std::string& path) const { File().Save(path); }
  /// The contents of that file.
  ModelWriter File() const;
  /// Throws DataError when the file is damaged, not a model, or of another task, or when its
  /// entries contradict each other.
  static MulticlassModel Load(ModelReader file);
  static MulticlassModel Load(const std::string& path) { return Load(ModelReader(path)); }

 private:
  std::vector<std::string> class_names_;
  ModelInputs inputs_;
  Index class_block_ = 0, constant_block_ = -1;
  std::shared_ptr<const WeightLayout> layout_;
  std::vector<double> weights_;
  std::optional<KernelSupport> support_;
};

/// The entry "task" of the model files of this class.
inline constexpr std::string_view kMulticlassTask = "multiclass";

}  // namespace slackline::internal
