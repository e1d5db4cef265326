// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence: predicts a label for every token of a sequence.
#pragma once

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {

/// Each function adds its command to `parent`; parsing the command sets *action.
void AddSequenceTrain(CLI::App* parent, Action* action);
void AddSequencePredict(CLI::App* parent, Action* action);
void AddSequenceEvaluate(CLI::App* parent, Action* action);
void AddSequenceConvert(CLI::App* parent, Action* action);
void AddSequenceCv(CLI::App* parent, Action* action);
void AddSequenceTemplate(CLI::App* parent, Action* action);

}  // namespace slackline::internal::program
