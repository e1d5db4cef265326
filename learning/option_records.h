// SPDX-License-Identifier: BSD-3-Clause
//
// The records of the options that are members of TrainOptions.
#pragma once

#include <span>
#include <string_view>

#include <slackline/learning/options.h>

namespace slackline::internal {

/// Options that several learners read: what is trained and how. The first one is --learner.
std::span<const OptionRecord> SharedOptionRecords();
/// Options of the training loop: when to check and to stop, the seed, and the number of threads.
std::span<const OptionRecord> RunOptionRecords();

/// Whether `word` is one of `words`, which are separated by blanks.
bool HasWord(std::string_view words, std::string_view word);

}  // namespace slackline::internal
