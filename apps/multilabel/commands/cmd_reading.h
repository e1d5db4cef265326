// SPDX-License-Identifier: BSD-3-Clause
//
// How the commands on multi-label data read them and report a reader's notes. Part of the program
// only.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_table_flags.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/multilabel_model.h>

namespace slackline::internal::program {

/// --format auto|arff|libsvm|csv|tsv.
void RegisterFormat(Command* app, std::string* format);
/// The value of --format. Throws DataError.
MultiLabelFormat ReadFormat(const std::string& format);

/// --strict.
void RegisterStrict(Command* app, bool* strict);

/// The columns of a table to train on.
struct TableFlags {
  std::string label_columns;
  std::string ignore_columns;
  std::string labels_in;
  CellFlags cells;

  void Register(Command* app);
  bool given() const {
    return !label_columns.empty() || !ignore_columns.empty() || !labels_in.empty() || cells.given();
  }
  /// Throws DataError.
  void AddTo(MultiLabelReadOptions* options) const;
};

/// The options of a model and of the data it is applied to.
struct ReadingFlags {
  std::string format = "auto";
  std::string separator;
  bool strict = false;
  std::string label_counts = "auto";

  void Register(Command* app);
  /// The model, with the label counts of the flags if given. Throws DataError.
  MultiLabelModel Load(const std::string& path) const;
  /// The model's reading options, with the format and the strictness of the flags. Throws
  /// DataError.
  MultiLabelReadOptions OptionsFor(const MultiLabelModel& model) const;
  /// Throws DataError.
  MultiLabelData Read(const std::string& path, const MultiLabelModel& model) const;
};

}  // namespace slackline::internal::program
