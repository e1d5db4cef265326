// SPDX-License-Identifier: BSD-3-Clause
//
// Sequences of tokens with one label per token: words of letters
// (apps/sequence/data/letters_reader.h), sentences of words (apps/sequence/data/conll_reader.h),
// tokens with attributes (apps/sequence/data/attribute_reader.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/string_table.h>
#include <slackline/apps/converted/converted_values.h>
#include <slackline/core/data_source.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// The text of an unknown label in a file.
inline constexpr std::string_view kUnknownLabel = "?";

/// The columns of tokens other than labels, for features and for output next to predictions. CoNLL:
/// all columns but the label. Letters: id, word id and position. Attributes: none.
struct TokenTable {
  Index num_columns = 0;
  std::vector<Index> cells;  ///< tokens × num_columns by rows: numbers of their texts
  StringTable texts;
  char separator = '\t';  ///< the first separator of columns in the file, ' ' or '\t'

  std::string_view text(Offset token, Index column) const {
    return texts.text(cells[token * num_columns + column]);
  }
};

/// Features of tokens by name, with values.
struct AttributeTable {
  StringTable names;
  std::vector<Offset> begin = {0};  ///< token t has the attributes [begin[t], begin[t + 1])
  std::vector<Index> attributes;    ///< numbers of their names; one may occur twice in a token
  std::vector<double> values;       ///< not 0

  Offset num_tokens() const { return static_cast<Offset>(begin.size()) - 1; }
  /// Adds an attribute to the token that EndToken ends. Attributes with the value 0 are left out.
  void Add(std::string_view name, double value) {
    if (value == 0) return;
    attributes.push_back(names.Add(name));
    values.push_back(value);
  }
  void EndToken() { begin.push_back(static_cast<Offset>(attributes.size())); }
};

struct SequenceData {
  std::string source;  ///< the name of the file or folder, for messages
  /// In training all labels of the file, sorted by bytes. In prediction the labels of the model in
  /// its order, then the labels unknown to the model in the order of the file. A model never
  /// predicts the latter, but they count as ground truth.
  std::vector<std::string> label_names;
  Index num_model_labels = 0;  ///< the first labels of label_names are the model's; in training all
  bool has_labels = true;      ///< whether the file has labels; if not, all are kUnlabelled
  /// num_sequences + 1 entries: sequence m has the tokens [begin[m], begin[m + 1]), at least one.
  std::vector<Offset> begin;
  std::vector<Index> labels;  ///< per token; kUnlabelled = unknown
  std::vector<Index> folds;   ///< per sequence; empty if the file has none (CoNLL)
  std::vector<long> lines;    ///< line number of each sequence's first token in its file
  /// For each line that was left out between tokens of a sequence, the number of the token after
  /// it; ascending. LineOf counts them.
  std::vector<Offset> left_out;
  FilePlaces files;  ///< of a folder: the file of each sequence
  std::shared_ptr<const TokenTable> tokens;
  /// Only of data with attributes, until features are made of them.
  std::shared_ptr<const AttributeTable> attributes;
  /// One sparse row per token, without a constant feature, which the model adds. Null after
  /// ReadConll and ReadAttributes until features are made (apps/sequence/data/sequence_features.h).
  std::shared_ptr<const FeatureRows> rows;
  Index num_features = 0;  ///< number of columns of the rows
  /// Set for converted data (apps/sequence/converted_sequences.h), whose values are scaled already;
  /// else null.
  std::shared_ptr<const ConvertedValues> converted;

  Index num_sequences() const { return static_cast<Index>(lines.size()); }
  Index num_labels() const { return static_cast<Index>(label_names.size()); }
  Offset num_tokens() const { return static_cast<Offset>(labels.size()); }
  Index length(Index m) const { return static_cast<Index>(begin[m + 1] - begin[m]); }
  const std::string& FileOf(Index m) const { return files.FileOf(m, source); }
  /// The line of a token of sequence m in its file.
  long LineOf(Index m, Offset token) const;
  bool conllu = false;  ///< whether the file was CoNLL-U (apps/common/token_lines.h)
  /// Sequences whose first line begins with "# ", as comments do in other formats.
  Index num_hash_lines = 0;
};

/// Whether each sequence is in the folds of `selection`, a list of numbers and ranges: "0", "1-9",
/// "1,3-5". Throws DataError, which quotes the wrong part, when a part is not a number or range or
/// selects no sequence, and when the data have no folds. With several ranks, each with its own
/// sequences, all of them call this function, and a part may select sequences of any rank.
std::vector<bool> SelectFolds(std::string_view selection, const SequenceData& data,
                              Ranks& ranks = OneRank());

/// SelectFolds for one fold number after the other.
class FoldSelection {
 public:
  explicit FoldSelection(std::string_view selection);

  bool Selects(Index fold);
  /// All ranks must call it after all folds of all ranks: a part that has selected something on one
  /// rank has then done so on all.
  void Agree(Ranks& ranks);
  /// Throws DataError when a part has selected nothing.
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

/// Appends the columns of a token without its label to *line as in the file, separated by
/// tokens->separator.
void AppendInput(const SequenceData& data, Offset token, std::string* line);

/// For readers: numbers labels as they occur, then puts them in the order that SequenceData
/// requires.
class LabelNumbering {
 public:
  /// model_labels: the labels of a model; empty in training.
  explicit LabelNumbering(std::span<const std::string> model_labels);

  /// The number of a label; kUnlabelled for kUnknownLabel.
  Index Number(std::string_view label);
  /// Numbers the labels of all ranks, in the order of the ranks, and replaces this rank's numbers
  /// in *labels by the new ones. All ranks must call this function.
  void Agree(Ranks& ranks, std::vector<Index>* labels);
  /// Whether there is any label, in the data or in the model.
  bool any() const { return names_.size() > 0; }
  /// Sets label_names and num_model_labels, and renumbers labels.
  void Finish(SequenceData* data) const;

 private:
  StringTable names_;
  Index num_model_labels_;
};

}  // namespace slackline::internal
