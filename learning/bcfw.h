// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `bcfw`: one block per example. Which code trains depends on its options: Frank-Wolfe
// steps (example_blocks/plain_bcfw.h), pairwise or away steps over active sets
// (example_blocks/active_set_learner.h), or these in a race with planes and factor blocks
// (auto/race_learner.h), which is what `auto` chooses most of the time.
#pragma once

#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

struct BcfwOptions {
  /// With pairwise or away steps: whether planes or factor blocks take over where they are faster.
  /// kAuto: where `auto` chose the learner, its steps keep active sets, and no average is wanted.
  Switch planes = Switch::kAuto;
  /// With fw steps and a line search: whether the first pass is one step on all examples at once.
  bool batch_start = false;
};

extern const LearnerRecord kBcfwLearner;

}  // namespace slackline::internal
