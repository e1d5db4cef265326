// SPDX-License-Identifier: BSD-3-Clause
//
// A model file of sequences, and predictions with one call per sequence:
//
//   SequencePredictor tagger("ner.slk");
//   const std::vector<std::string> tags = tagger.Predict({{"John", "NNP"}, {"runs", "VBZ"}});
//
// Results equal those of `slackline sequence predict` bit for bit. Features that the model does not
// know are left out.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/sequence/sequence_model.h>
#include <slackline/apps/sequence/sequence_predict.h>

namespace slackline::internal {

/// Calls use the object's work space: one predictor per thread. Copies share the model and are
/// cheap, except for a table of K² transitions.
class SequencePredictor {
 public:
  /// The columns of a token in the format of the training data, without the label.
  using Token = std::vector<std::string>;
  struct Labelling {
    std::vector<std::string> labels;  ///< one per token
    double score = 0;                 ///< w·φ of the model
  };

  /// Loads the model. Throws DataError as SequenceModel::Load does.
  explicit SequencePredictor(const std::string& path);
  explicit SequencePredictor(SequenceModel model);
  SequencePredictor(const SequencePredictor& other);
  SequencePredictor& operator=(const SequencePredictor& other);
  SequencePredictor(SequencePredictor&&) = default;
  SequencePredictor& operator=(SequencePredictor&&) = default;

  const SequenceModel& model() const { return *model_; }
  /// The names of the labels, in the order of scores.
  const std::vector<std::string>& labels() const { return model_->label_names(); }

  // For models of CoNLL data. Throw std::invalid_argument for other models, and when a token does
  // not have the columns of the model. Without tokens there are no labels.

  /// The best label of each token.
  std::vector<std::string> Predict(const std::vector<Token>& tokens);
  /// tokens × labels by rows: see SequencePredictions::scores.
  std::vector<double> Scores(const std::vector<Token>& tokens);
  /// At most `count` ≥ 1 labellings, the best first; for no tokens one empty labelling.
  std::vector<Labelling> PredictBest(const std::vector<Token>& tokens, Index count);

  // For all models: tokens given by their features before scaling (of letters the numbers of the
  // pixels that are 1). Throw std::invalid_argument when a row has columns that the model does not
  // have, or a value is too large after scaling.

  std::vector<std::string> PredictRows(const FeatureRows& rows);
  std::vector<double> ScoreRows(const FeatureRows& rows);

 private:
  // Both return scaled rows.
  std::shared_ptr<const FeatureRows> MakeRows(const std::vector<Token>& tokens) const;
  std::shared_ptr<const FeatureRows> Scaled(const FeatureRows& rows) const;
  std::vector<double> DecodeScores(const FeatureRows& rows);
  const SequencePredictions& Decode(const FeatureRows& rows, const SequencePredictOptions& options);
  std::vector<std::string> Names(const std::vector<Index>& labels) const;

  std::shared_ptr<const SequenceModel> model_;
  std::unique_ptr<SequenceDecoder> decoder_;
  SequencePredictions predictions_;
};

}  // namespace slackline::internal
