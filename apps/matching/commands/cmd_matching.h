// SPDX-License-Identifier: BSD-3-Clause
//
// slackline matching: predicts edges of bipartite graphs, such as alignments of words.
#pragma once

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {

/// Each function adds its command to `parent`; parsing the command sets *action.
void AddMatchingTrain(Command* parent, Action* action);
void AddMatchingPredict(Command* parent, Action* action);
void AddMatchingEvaluate(Command* parent, Action* action);
void AddMatchingCv(Command* parent, Action* action);
void AddMatchingDraw(Command* parent, Action* action);

}  // namespace slackline::internal::program
