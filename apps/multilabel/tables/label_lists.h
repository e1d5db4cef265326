// SPDX-License-Identifier: BSD-3-Clause
//
// A column that lists the labels of each row: "sky;sea", in place of a column for each label.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/common/string_table.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// Reads lists row by row. Labels are texts between separators, without blanks at their ends. A row
/// with an empty cell has no labels; in a row with NA, N/A, NaN or ? no label is known.
class LabelLists {
 public:
  /// known: the labels of a model, in its order; empty in training, where all labels of the data
  /// count, in the order of their bytes.
  LabelLists(char separator, const std::vector<std::string>& known);

  void Add(std::string_view text);
  /// In training all ranks must call it after the last row: each gets the labels of all ranks.
  void Agree(Ranks& ranks);
  std::vector<std::string> Names() const;
  /// Appends the rows since the last Forget to a matrix with one entry for each row and label: 0,
  /// 1, or −1 for unknown.
  void AppendTo(std::vector<std::int8_t>* labels) const;
  void Forget();
  /// For a model: appends how many labels of the data it does not know.
  void AddNotes(std::vector<std::string>* notes) const;

 private:
  const char separator_;
  Index num_known_;  // 0 in training
  StringTable names_;
  std::vector<std::size_t> end_;  // of each row in labels_
  std::vector<Index> labels_;     // kUnlabelled: none is known
  Offset unknown_ = 0;            // entries that the model does not know
  std::string first_unknown_;
};

}  // namespace slackline::internal
