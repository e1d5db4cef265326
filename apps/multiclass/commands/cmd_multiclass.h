// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multiclass: predicts one of several classes of every example.
#pragma once

#include <functional>
#include <string>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/feature_rows.h>

namespace slackline::internal::program {

/// Each function adds its command to `parent`; parsing the command sets *action.
void AddMulticlassPredict(Command* parent, Action* action);
void AddMulticlassEvaluate(Command* parent, Action* action);

/// --format auto|libsvm|csv|tsv.
void RegisterClassFormat(Command* app, std::string* format);
/// The value of --format. Throws DataError.
MultiLabelFormat ReadClassFormat(const std::string& format);

/// How data are read for a model.
struct ClassReadingFlags {
  std::string format = "auto";
  std::string label_column;
  std::string separator;
  bool strict = false;

  void Register(Command* app);
  /// The model's reading options, with the values of the flags. Throws DataError.
  MultiLabelReadOptions OptionsFor(MultiLabelReadOptions of_model) const;
};

/// What commands that predict one thing of every example share.
struct LinesFlags {
  std::string data;
  std::string model;
  std::string out;
  bool stream = false;
  bool quiet = false;
  ClassReadingFlags reading;
  ThreadFlag threads;

  /// Register the options before and after those of --output.
  void RegisterModel(Command* app);
  void RegisterOut(Command* app);
  /// Checks of files that need no model. Throws DataError.
  void CheckFiles() const;
};

/// Writes predictions as lines of text.
struct LineWriter {
  std::string head;  ///< the text before all examples
  /// Appends the lines of scaled rows, with up to this many threads.
  std::function<void(const FeatureRows& rows, int threads, std::string* text)> append;
};

/// Writes the lines of all predictions: predicts all data together, or each example before reading
/// the next one. `of_model`: the model's reading options. To be called after CheckFiles.
void PredictLines(const LinesFlags& flags, MultiLabelReadOptions of_model,
                  const LineWriter& writer);

}  // namespace slackline::internal::program
