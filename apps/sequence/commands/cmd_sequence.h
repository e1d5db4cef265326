// SPDX-License-Identifier: BSD-3-Clause
//
// slackline sequence: predicts a label for every token of a sequence.
#pragma once

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {

/// Each function adds its command to `parent`; parsing the command sets *action.
void AddSequenceTrain(Command* parent, Action* action);
void AddSequencePredict(Command* parent, Action* action);
void AddSequenceEvaluate(Command* parent, Action* action);
void AddSequenceConvert(Command* parent, Action* action);
void AddSequenceCv(Command* parent, Action* action);
void AddSequenceTemplate(Command* parent, Action* action);

}  // namespace slackline::internal::program
