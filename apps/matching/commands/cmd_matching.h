// SPDX-License-Identifier: BSD-3-Clause
//
// slackline matching: predicts edges of bipartite graphs, such as alignments of words.
#pragma once

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {

/// Each function adds its command to `parent`; parsing the command sets *action.
void AddMatchingTrain(CLI::App* parent, Action* action);
void AddMatchingPredict(CLI::App* parent, Action* action);
void AddMatchingEvaluate(CLI::App* parent, Action* action);
void AddMatchingCv(CLI::App* parent, Action* action);
void AddMatchingDraw(CLI::App* parent, Action* action);

}  // namespace slackline::internal::program
