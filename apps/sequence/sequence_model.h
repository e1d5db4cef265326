// SPDX-License-Identifier: BSD-3-Clause
//
// The chain model of sequences (docs/notation.md, section 8). Every token is a variable whose
// states are the K labels; with D features
//   φ_i(x, y)      = x_i in row y of "token" (K × D), and [y] in "bias" (K)
//   first, last    [y_1 = a] in "start" (K), [y_n = a] in "end" (K)
//   neighbours     [y_i = a, y_{i+1} = b] in "transition" (K², by rows)
// so that d = K(D + 3) + K². With constraints (LabelConstraints) some labels cannot begin a
// sequence, and some pairs cannot occur, whatever the weights are. Start and end belong to the
// first and the last token: where such a token has no label, training leaves them out with it
// (docs/notation.md, section 1).
//
// Models trained with a kernel (core/kernel.h) keep support vectors in the place of the weights of
// "token", which are 0 then.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/feature_dictionary.h>
#include <slackline/apps/common/kernel_support.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/apps/sequence/data/chunk_tags.h>
#include <slackline/apps/sequence/data/feature_template.h>
#include <slackline/apps/sequence/data/sequence_data.h>
#include <slackline/core/dataset.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/structure.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

enum class SequenceFormat { kLetters, kConll };
std::string_view Name(SequenceFormat format);

/// How the tokens of CoNLL data get features.
struct SequenceFeatures {
  FeatureTemplates templates;
  FeatureDictionary dictionary;
};

/// Which labellings there are, in training and prediction.
enum class LabelConstraints {
  kAny,  ///< all; written "none"
  kBio,  ///< those of IOB2: I-X only behind B-X or I-X (apps/sequence/data/chunk_tags.h)
};
std::string_view Name(LabelConstraints constraints);

/// A pair of tokens has the square of it as states.
inline constexpr Index kMostSequenceLabels = 8192;

class SequenceModel {
 public:
  /// A model of letters with so many pixels. All weights zero. Requires one label or more, without
  /// repetition, and num_features ≥ 1, and with kBio labels that LooksLikeBio accepts; else
  /// std::invalid_argument.
  SequenceModel(std::vector<std::string> label_names, Index num_features,
                LabelConstraints constraints = LabelConstraints::kAny);
  /// A model of CoNLL data; as many features as the dictionary has columns, at least one.
  SequenceModel(std::vector<std::string> label_names, SequenceFeatures features,
                LabelConstraints constraints = LabelConstraints::kAny);

  SequenceFormat format() const {
    return features_ ? SequenceFormat::kConll : SequenceFormat::kLetters;
  }
  const std::vector<std::string>& label_names() const { return label_names_; }
  Index num_labels() const { return static_cast<Index>(label_names_.size()); }
  Index num_features() const { return num_features_; }
  /// Requires format() == kConll.
  const SequenceFeatures& features() const;
  LabelConstraints constraints() const {
    return rules_ ? LabelConstraints::kBio : LabelConstraints::kAny;
  }
  /// What the constraints allow; nullptr where there are none.
  const BioRules* rules() const { return rules_ ? &*rules_ : nullptr; }
  const std::shared_ptr<const WeightLayout>& layout() const { return layout_; }
  /// How many weights a model has, without making it.
  static Offset NumWeights(Offset num_labels, Offset num_features) {
    return num_labels * (num_features + 3) + num_labels * num_labels;
  }

  /// The structure of sequences of so many tokens, at least one. What the constraints exclude is
  /// forbidden (docs/notation.md, section 10): states of the first variable, and of the pairs.
  std::shared_ptr<const Structure> MakeStructure(Index length) const;
  /// These sequences of data that have the model's labels and features, in this order; those of one
  /// length share a structure. Labels that the model does not know are kUnlabelled.
  Dataset MakeDataset(const SequenceData& data, std::span<const Index> sequences) const;

  /// Of the features of tokens; data that are read for the model (sequence_input.h) are scaled.
  const FeatureScaling& scaling() const { return scaling_; }
  /// Requires numbers for every feature.
  void set_scaling(FeatureScaling scaling);

  const std::vector<double>& weights() const { return weights_; }
  /// Requires as many finite weights as the layout has.
  void set_weights(std::vector<double> weights);
  /// Takes over what training on `problem` gave, a vector of weights or, with a kernel, an
  /// expansion (learning/kernels/kernel_expansion.h).
  void SetTrained(const Problem& problem, const TrainOptions& options,
                  std::span<const double> weights);
  /// The support vectors with a coefficient per label; none without a kernel.
  const std::optional<KernelSupport>& support() const { return support_; }
  /// scores[y] = the score of row y of "token" for features x.
  void TokenScores(const FeatureRow& x, std::span<double> scores) const;
  /// Weights of a block, in the order of the layout.
  std::span<const double> token_weights() const { return Block(token_block_); }
  std::span<const double> bias_weights() const { return Block(bias_block_); }
  std::span<const double> start_weights() const { return Block(start_block_); }
  std::span<const double> end_weights() const { return Block(end_block_); }
  std::span<const double> transition_weights() const { return Block(transition_block_); }

  TrainingRecord record;

  void Save(const std::string& path) const;
  /// Throws DataError when the file is no model, is damaged, belongs to another task, or its
  /// entries contradict each other.
  static SequenceModel Load(ModelReader file);
  static SequenceModel Load(const std::string& path) { return Load(ModelReader(path)); }

 private:
  SequenceModel(std::vector<std::string> label_names, Index num_features,
                std::optional<SequenceFeatures> features, LabelConstraints constraints,
                std::vector<double> weights = {});  // none: all 0
  std::span<const double> Block(Index block) const;
  void RequireFit(std::span<const double> weights) const;

  std::vector<std::string> label_names_;
  Index num_features_ = 0;
  std::optional<SequenceFeatures> features_;  // of CoNLL data
  FeatureScaling scaling_;
  std::optional<BioRules> rules_;  // with constraints
  Index token_block_ = 0, bias_block_ = 0, start_block_ = 0, end_block_ = 0, transition_block_ = 0;
  std::shared_ptr<const WeightLayout> layout_;
  std::vector<double> weights_;
  std::optional<KernelSupport> support_;
};

/// The entry "task" of the model files of this class.
inline constexpr std::string_view kSequenceTask = "sequence";

}  // namespace slackline::internal
