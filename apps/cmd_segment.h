// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment: labels for the pixels of images.
#pragma once

#include <slackline/apps/cmd_common.h>

namespace slackline::program {

/// Each adds its command to `parent`; parsing it sets *action.
void AddSegmentDraw(CLI::App* parent, Action* action);
void AddSegmentPrepare(CLI::App* parent, Action* action);
void AddSegmentTrain(CLI::App* parent, Action* action);
void AddSegmentPredict(CLI::App* parent, Action* action);
void AddSegmentEvaluate(CLI::App* parent, Action* action);
void AddSegmentCv(CLI::App* parent, Action* action);
void AddSegmentPotentials(CLI::App* parent, Action* action);

}  // namespace slackline::program
