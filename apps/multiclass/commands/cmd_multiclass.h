// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multiclass: predicts one of several classes of every example.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/multiclass/multiclass_model.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>

namespace slackline::internal::program {

/// Each function adds its command to `parent`; parsing the command sets *action.
void AddMulticlassTrain(CLI::App* parent, Action* action);
void AddMulticlassPredict(CLI::App* parent, Action* action);
void AddMulticlassEvaluate(CLI::App* parent, Action* action);
void AddMulticlassCv(CLI::App* parent, Action* action);

/// --format auto|libsvm|csv|tsv.
void RegisterClassFormat(CLI::App* app, std::string* format);
/// The value of --format. Throws DataError.
MultiLabelFormat ReadClassFormat(const std::string& format);

/// How data are read for a model.
struct ClassReadingFlags {
  std::string format = "auto";
  std::string label_column;
  bool strict = false;

  void Register(CLI::App* app);
  /// The model's reading options, with the values of the flags. Throws DataError.
  MultiLabelReadOptions OptionsFor(const MulticlassModel& model) const;
};

}  // namespace slackline::internal::program
