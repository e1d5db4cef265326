// SPDX-License-Identifier: BSD-3-Clause
//
// Sequences of tokens with one label each: words of letters (apps/sequence/data/letters_reader.h),
// sentences of words (apps/sequence/data/conll_reader.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/string_table.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// In the place of a label in a file: the label is not known.
inline constexpr std::string_view kUnknownLabel = "?";

/// The input beside the labels, for features and to be written next to predictions. CoNLL: the
/// columns without that of the labels. Letters: id, word id and position.
struct TokenTable {
  Index num_columns = 0;
  std::vector<Index> cells;  ///< tokens × num_columns by rows: numbers of texts
  StringTable texts;
  char separator = '\t';  ///< the first that the file has between columns, ' ' or '\t'

  std::string_view text(Offset token, Index column) const {
    return texts.text(cells[token * num_columns + column]);
  }
};

struct SequenceData {
  std::string source;  ///< the file, for messages
  /// In training all labels of the file, sorted by bytes. In prediction those of the model in its
  /// order, then those that the model does not know, in the order of the file: a model never
  /// predicts these, but they count as gold.
  std::vector<std::string> label_names;
  Index num_model_labels = 0;  ///< how many of label_names are the model's; in training all
  bool has_labels = true;  ///< whether the file has a column of labels; if not, all are kUnlabelled
  /// num_sequences + 1: tokens of sequence m are [begin[m], begin[m + 1]), never none
  std::vector<Offset> begin;
  std::vector<Index> labels;  ///< of each token; kUnlabelled = not known
  std::vector<Index> folds;   ///< of each sequence; empty where the file has none (CoNLL)
  std::vector<long> lines;    ///< line of each sequence's first token
  std::shared_ptr<const TokenTable> tokens;
  /// One sparse row per token, without any constant feature: the model adds what it needs. Null
  /// after ReadConll, until features are made (apps/sequence/data/sequence_features.h).
  std::shared_ptr<const FeatureRows> rows;
  Index num_features = 0;  ///< columns of the rows

  Index num_sequences() const { return static_cast<Index>(lines.size()); }
  Index num_labels() const { return static_cast<Index>(label_names.size()); }
  Offset num_tokens() const { return static_cast<Offset>(labels.size()); }
  Index length(Index m) const { return static_cast<Index>(begin[m + 1] - begin[m]); }
};

/// Which sequences belong to the folds that `selection` lists: numbers and ranges with commas
/// between them, "0", "1-9", "1,3-5". Throws DataError that quotes the part at fault when that is
/// no number or range, or when no sequence belongs to it, and when the data have no folds.
std::vector<bool> SelectFolds(std::string_view selection, const SequenceData& data);

/// The same for folds that come one after the other.
class FoldSelection {
 public:
  explicit FoldSelection(std::string_view selection);

  bool Selects(Index fold);
  /// Throws DataError when nothing was selected by one of the parts.
  void CheckAllUsed(const std::string& source) const;

 private:
  struct Part {
    std::string text;
    Index first = 0;
    Index last = 0;
    bool used = false;
  };
  std::vector<Part> parts_;
};

/// Appends the columns of a token to *line as the file has them, without its label, separated by
/// tokens->separator.
void AppendInput(const SequenceData& data, Offset token, std::string* line);

/// For readers: gives labels numbers as they come, then puts them in the order that SequenceData
/// promises.
class LabelNumbering {
 public:
  /// model_labels: empty in training.
  explicit LabelNumbering(std::span<const std::string> model_labels);

  /// The number of a label; kUnlabelled for kUnknownLabel.
  Index Number(std::string_view label);
  /// Sets label_names and num_model_labels, and renumbers labels.
  void Finish(SequenceData* data) const;

 private:
  StringTable names_;
  Index num_model_labels_;
};

}  // namespace slackline::internal
