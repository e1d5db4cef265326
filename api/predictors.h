// SPDX-License-Identifier: BSD-3-Clause
//
// Model files that the program `slackline` trained, used in one call an example:
//
//     SequencePredictor tagger("ner.slk");
//     const std::vector<std::string> tags = tagger.Predict({{"John", "NNP"}, {"runs", "VBZ"}});
//     MultiLabelPredictor topics("yeast.slk");
//     const std::vector<std::string> labels = topics.Predict(features);
//
// Results are those of the commands `predict`, bit for bit. Constructors throw std::runtime_error
// when a file cannot be read or is no such model; all other functions std::invalid_argument when
// what is given does not fit the model. Calls use work space of the object: one for each thread.
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
  /// The columns of a token as the training data have them, without the label.
  using Token = std::vector<std::string>;
  struct RankedLabels {
    std::vector<std::string> labels;  ///< of each token
    double score = 0;
  };

  explicit SequencePredictor(const std::string& path);
  SequencePredictor(SequencePredictor&& other) noexcept;
  SequencePredictor& operator=(SequencePredictor&& other) noexcept;
  ~SequencePredictor();

  /// The names of the labels; their order is that of scores.
  const std::vector<std::string>& labels() const;
  /// The best label of each token.
  std::vector<std::string> Predict(const std::vector<Token>& tokens);
  /// For each token and label: the score of the best labelling with that label, less that of the
  /// best of all.
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

  /// The names of the labels; their order is that of scores.
  const std::vector<std::string>& labels() const;
  /// The labels of an example: all features of the model in its order, or those that are not 0
  /// (columns from 0).
  std::vector<std::string> Predict(const std::vector<double>& features);
  std::vector<std::string> Predict(const SparseRow& features);
  /// The same with features by their names; all others are 0.
  std::vector<std::string> PredictNamed(
      const std::vector<std::pair<std::string, double>>& features);
  /// For models of tables (CSV, TSV): names of columns, and the texts of their cells.
  std::vector<std::string> PredictRow(
      const std::vector<std::pair<std::string, std::string>>& cells);
  /// For each label, how much it is favoured: positive where it is predicted, as far as the model's
  /// bounds on the number of labels allow.
  std::vector<double> Scores(const std::vector<double>& features);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace v1
}  // namespace slackline
