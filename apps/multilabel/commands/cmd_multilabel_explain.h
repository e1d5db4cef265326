// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel predict --explain. Part of the program only.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_explain_flags.h>
#include <slackline/apps/multilabel/commands/cmd_reading.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>

namespace slackline::internal::program {

/// What to explain and where to write it.
struct MultiLabelExplainTask {
  std::string data, model, out;
  ReadingFlags reading;
  PredictOptions predict;
  ExplainFlags flags;
};

/// Returns the exit code. Throws DataError.
int ExplainMultiLabel(const MultiLabelExplainTask& task);

}  // namespace slackline::internal::program
