// SPDX-License-Identifier: BSD-3-Clause
//
// The records of the options that are members of TrainOptions.
#pragma once

#include <span>

#include <slackline/learning/options.h>

namespace slackline::internal {

/// What is trained and how, for options that all or several learners read. The first one is the
/// learner.
std::span<const OptionRecord> SharedOptionRecords();
/// When to look and to stop, and what the machine does.
std::span<const OptionRecord> RunOptionRecords();

}  // namespace slackline::internal
