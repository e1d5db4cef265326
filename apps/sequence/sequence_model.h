// SPDX-License-Identifier: BSD-3-Clause
//
// The chain model of sequences (docs/notation.md, section 8). Every token is a variable whose
// states are the K labels; with D features
//   φ_i(x, y)      = x_i in row y of "token" (K × D), and [y] in "bias" (K)
//   first, last    [y_1 = a] in "start" (K), [y_n = a] in "end" (K)
//   neighbours     [y_i = a, y_{i+1} = b] in "transition" (K², by rows)
// so that d = K(D + 3) + K². With constraints (LabelConstraints) some labels cannot begin a
// sequence, and some pairs cannot occur, whatever the weights are. Start and end belong to the
// first and the last token. If that token has no label, training leaves them out together with it
// (docs/notation.md, section 1).
//
// Models trained with a kernel (core/kernel.h) store support vectors in place of the weights of
// "token", which are then 0.
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

enum class SequenceFormat { kLetters, kConll, kAttributes };
std::string_view Name(SequenceFormat format);

/// How features are made from the tokens of CoNLL data, or from attributes.
struct SequenceFeatures {
  FeatureTemplates templates;  ///< none: attributes are the features
  FeatureDictionary dictionary;
};

/// The labellings allowed in training and prediction.
enum class LabelConstraints {
  kAny,  ///< all; "none" on the command line and in files
  kBio,  ///< those of IOB2: I-X only after B-X or I-X (apps/sequence/data/chunk_tags.h)
};
std::string_view Name(LabelConstraints constraints);

/// The limit exists because a pair of tokens has the square of this number as joint states.
inline constexpr Index kMostSequenceLabels = 8192;

class SequenceModel {
 public:
  /// A model of letters with num_features pixels, or of tokens with as many other features without
  /// names, and all weights zero. Requires at least one label,
  /// distinct labels, num_features ≥ 1, and with kBio labels that LooksLikeBio accepts; else throws
  /// std::invalid_argument.
  SequenceModel(std::vector<std::string> label_names, Index num_features,
                LabelConstraints constraints = LabelConstraints::kAny);
  /// A model of CoNLL data or attributes, with a feature for each column of the dictionary, at
  /// least one.
  SequenceModel(std::vector<std::string> label_names, SequenceFeatures features,
                LabelConstraints constraints = LabelConstraints::kAny);

  SequenceFormat format() const {
    if (!features_) return SequenceFormat::kLetters;
    return features_->templates.size() > 0 ? SequenceFormat::kConll : SequenceFormat::kAttributes;
  }
  const std::vector<std::string>& label_names() const { return label_names_; }
  Index num_labels() const { return static_cast<Index>(label_names_.size()); }
  Index num_features() const { return num_features_; }
  /// Requires a format other than kLetters; else throws std::invalid_argument.
  const SequenceFeatures& features() const;
  LabelConstraints constraints() const {
    return rules_ ? LabelConstraints::kBio : LabelConstraints::kAny;
  }
  /// The rules of the constraints; nullptr without constraints.
  const BioRules* rules() const { return rules_ ? &*rules_ : nullptr; }
  const std::shared_ptr<const WeightLayout>& layout() const { return layout_; }
  /// The number of weights of a model, without making the model.
  static Offset NumWeights(Offset num_labels, Offset num_features) {
    return num_labels * (num_features + 3) + num_labels * num_labels;
  }

  /// The structure of sequences with `length` ≥ 1 tokens. States of the first variable and of the
  /// pairs that the constraints exclude are forbidden (docs/notation.md, section 10).
  std::shared_ptr<const Structure> MakeStructure(Index length) const;
  /// The examples for these sequences, in this order. The data must have the model's labels and
  /// features. Sequences of equal length share a structure. Labels that the model does not know
  /// become kUnlabelled.
  Dataset MakeDataset(const SequenceData& data, std::span<const Index> sequences) const;

  /// The scaling of the features of tokens; data read for the model (sequence_input.h) are scaled.
  const FeatureScaling& scaling() const { return scaling_; }
  /// Requires the numbers of every feature.
  void set_scaling(FeatureScaling scaling);

  const std::vector<double>& weights() const { return weights_; }
  /// Requires as many finite weights as the layout has.
  void set_weights(std::vector<double> weights);
  /// Stores the result of training on `problem`: a vector of weights or, with a kernel, an
  /// expansion (learning/kernels/kernel_expansion.h).
  void SetTrained(const Problem& problem, const TrainOptions& options,
                  std::span<const double> weights);
  /// The support vectors with a coefficient per label; nullopt without a kernel.
  const std::optional<KernelSupport>& support() const { return support_; }
  /// scores[y] = the score of row y of "token" for the features x.
  void TokenScores(const FeatureRow& x, std::span<double> scores) const;
  /// The weights of single blocks, in the order of the layout.
  std::span<const double> token_weights() const { return Block(token_block_); }
  std::span<const double> constant_weights() const { return Block(constant_block_); }
  std::span<const double> start_weights() const { return Block(start_block_); }
  std::span<const double> end_weights() const { return Block(end_block_); }
  std::span<const double> transition_weights() const { return Block(transition_block_); }

  TrainingRecord record;

  void Save(const std::string& path) const { File().Save(path); }
  /// The contents of that file.
  ModelWriter File() const;
  /// Throws DataError when the file is damaged, not a model, or of another task, or when its
  /// entries contradict each other.
  static SequenceModel Load(ModelReader file);
  static SequenceModel Load(const std::string& path) { return Load(ModelReader(path)); }

 private:
  SequenceModel(std::vector<std::string> label_names, Index num_features,
                std::optional<SequenceFeatures> features, LabelConstraints constraints,
                std::vector<double> weights = {});  // empty: all 0
  std::span<const double> Block(Index block) const;
  void RequireFit(std::span<const double> weights) const;

  std::vector<std::string> label_names_;
  Index num_features_ = 0;
  std::optional<SequenceFeatures> features_;  // of CoNLL data and attributes
  FeatureScaling scaling_;
  std::optional<BioRules> rules_;  // with constraints
  Index token_block_ = 0, constant_block_ = 0, start_block_ = 0, end_block_ = 0,
        transition_block_ = 0;
  std::shared_ptr<const WeightLayout> layout_;
  std::vector<double> weights_;
  std::optional<KernelSupport> support_;
};

/// Features in files: entries "columns" and "templates" (CoNLL), "hash_bits" and "dictionary".
/// Null: letters, which have none.
void SaveSequenceFeatures(const SequenceFeatures* features, ModelWriter* writer);
/// Throws DataError when the entries contradict each other.
std::optional<SequenceFeatures> LoadSequenceFeatures(const ModelEntries& entries,
                                                     SequenceFormat format);

/// The entry "task" of the model files of this class.
inline constexpr std::string_view kSequenceTask = "sequence";

}  // namespace slackline::internal
