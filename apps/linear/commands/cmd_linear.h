// SPDX-License-Identifier: BSD-3-Clause
//
// slackline linear: tells two classes apart, or predicts a number.
#pragma once

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {

/// Each function adds its command to `parent`; parsing the command sets *action.
void AddLinearTrain(Command* parent, Action* action);
void AddLinearPredict(Command* parent, Action* action);
void AddLinearEvaluate(Command* parent, Action* action);
void AddLinearCv(Command* parent, Action* action);

}  // namespace slackline::internal::program
