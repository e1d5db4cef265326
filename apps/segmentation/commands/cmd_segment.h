// SPDX-License-Identifier: BSD-3-Clause
//
// slackline segment: predicts labels for the pixels of images.
#pragma once

#include <slackline/apps/cli/cmd_common.h>

namespace slackline::internal::program {

/// --max-pixels of the commands that read images.
struct PixelFlag {
  std::string most;  ///< after Register: the default, or the value on the command line

  void Register(Command* app);
  /// The value of --max-pixels. Throws DataError.
  Index Read() const;
};

/// Each function adds its command to `parent`; parsing the command sets *action.
void AddSegmentDraw(Command* parent, Action* action);
void AddSegmentPrepare(Command* parent, Action* action);
void AddSegmentConvert(Command* parent, Action* action);
void AddSegmentTrain(Command* parent, Action* action);
void AddSegmentPredict(Command* parent, Action* action);
void AddSegmentEvaluate(Command* parent, Action* action);
void AddSegmentCv(Command* parent, Action* action);
void AddSegmentPotentials(Command* parent, Action* action);

}  // namespace slackline::internal::program
