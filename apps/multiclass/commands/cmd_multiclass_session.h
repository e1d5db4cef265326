// SPDX-License-Identifier: BSD-3-Clause
//
// What the commands that train models of classes share: the options of data and model, and the
// messages about a run. Part of the program only.
#pragma once

#include <string>
#include <vector>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_parser.h>
#include <slackline/apps/cli/training/cmd_scale_flag.h>
#include <slackline/apps/cli/training/cmd_train_session.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/apps/multiclass/multiclass_data.h>
#include <slackline/apps/multiclass/multiclass_training.h>

namespace slackline::internal::program {

struct MulticlassFlags {
  ClassDataFlags data;
  std::string costs;
  std::string bias = "1";
  ScaleFlag scale;

  void Register(Command* app);
  /// Do all checks that need no data. `train`: the training options. Throw DataError.
  MultiLabelReadOptions ReadOptions(const TrainOptions& train) const;
  MulticlassTrainingOptions TrainingOptions(const TrainOptions& train) const;
  /// The input files, which outputs must not replace.
  std::vector<std::string> inputs() const;
};

/// Training data, and how they become a problem.
struct MulticlassInput {
  MulticlassData data;
  ScaledInputs scaled;  ///< its rows replace those of the data
  MulticlassTrainingOptions options;
};
/// Reads the training data and the costs, and scales the features. Throws DataError.
MulticlassInput LoadMulticlass(const MulticlassFlags& flags, const TrainOptions& train);

}  // namespace slackline::internal::program
