// SPDX-License-Identifier: BSD-3-Clause
//
// Model files trained by the program `slackline`, used with one call per example:
//
//     SequencePredictor tagger("ner.slk");
//     const std::vector<std::string> tags = tagger.Predict({{"John", "NNP"}, {"runs", "VBZ"}});
//     MultiLabelPredictor topics("yeast.slk");
//     const std::vector<std::string> labels = topics.Predict(features);
//
// Results equal those of the commands `predict` bit for bit. Constructors throw std::runtime_error
// when a file cannot be read or is not a model of this kind. All other functions throw
// std::invalid_argument when their arguments do not fit the model. Calls use the object's work
// space: one object per thread.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <slackline/dataset.h>
#include <slackline/export.h>

namespace slackline {
inline namespace v1 {

class SLACKLINE_EXPORT SequencePredictor {
 public:
  /// The columns of a token in the format of the training data, without the label.
  using Token = std::vector<std::string>;
  struct RankedLabels {
    std::vector<std::string> labels;  ///< of each token
    double score = 0;
  };

  explicit SequencePredictor(const std::string& path);
  SequencePredictor(SequencePredictor&& other) noexcept;
  SequencePredictor& operator=(SequencePredictor&& other) noexcept;
  ~SequencePredictor();

  /// The names of the labels, in the order of the scores.
  const std::vector<std::string>& labels() const;
  /// The best label of each token.
  std::vector<std::string> Predict(const std::vector<Token>& tokens);
  /// For each token and label the score of the best labelling with that label, minus the score of
  /// the best labelling.
  std::vector<std::vector<double>> Scores(const std::vector<Token>& tokens);
  /// At most `count` labellings, the best first.
  std::vector<RankedLabels> PredictBest(const std::vector<Token>& tokens, int count);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class SLACKLINE_EXPORT MultiLabelPredictor {
 public:
  explicit MultiLabelPredictor(const std::string& path);
  MultiLabelPredictor(MultiLabelPredictor&& other) noexcept;
  MultiLabelPredictor& operator=(MultiLabelPredictor&& other) noexcept;
  ~MultiLabelPredictor();

  /// The names of the labels, in the order of the scores.
  const std::vector<std::string>& labels() const;
  /// The labels of an example, given either all features in the model's order or only the features
  /// that are not 0 (columns count from 0).
  std::vector<std::string> Predict(const std::vector<double>& features);
  std::vector<std::string> Predict(const SparseRow& features);
  /// The same with features by name; all other features are 0.
  std::vector<std::string> PredictNamed(
      const std::vector<std::pair<std::string, double>>& features);
  /// For models of tables (CSV, TSV): pairs of a column name and the text of its cell.
  std::vector<std::string> PredictRow(
      const std::vector<std::pair<std::string, std::string>>& cells);
  /// For each label how strongly it is favoured: positive where it is predicted, unless the model's
  /// bounds on the number of labels decide otherwise.
  std::vector<double> Scores(const std::vector<double>& features);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace slackline
