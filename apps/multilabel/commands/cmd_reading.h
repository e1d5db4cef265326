// SPDX-License-Identifier: BSD-3-Clause
//
// How the commands on multi-label data read them, and tell what was noticed. Part of the program
// only.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/multilabel_model.h>

namespace slackline::internal::program {

/// --format auto|arff|libsvm|csv|tsv.
void RegisterFormat(CLI::App* app, std::string* format);
/// Its value. Throws DataError.
MultiLabelFormat ReadFormat(const std::string& format);

/// A line "note: …" on the standard error for each of a reader's notes.
void TellNotes(const std::vector<std::string>& notes);

/// The options of a model and of the data that it is used on.
struct ReadingFlags {
  std::string format = "auto";
  bool strict = false;
  std::string label_counts = "auto";

  void Register(CLI::App* app);
  /// The model, with the label counts that were asked for. Throws DataError.
  MultiLabelModel Load(const std::string& path) const;
  /// Those of the model, with the format and the strictness that were asked for. Throws DataError.
  MultiLabelReadOptions OptionsFor(const MultiLabelModel& model) const;
  /// Throws DataError.
  MultiLabelData Read(const std::string& path, const MultiLabelModel& model) const;
};

}  // namespace slackline::internal::program
