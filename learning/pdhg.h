// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `pdhg`: the saddle point alone (primal_dual/pdhg.h), or after labellings
// (auto/labellings_first.h), which is what `auto` chooses on graphs with cycles.
#pragma once

#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

struct PdhgOptions {
  /// Whether example blocks with labellings as corners begin. kAuto: where `auto` chose the
  /// learner.
  Switch labellings = Switch::kAuto;
};

extern const LearnerRecord kPdhgLearner;

}  // namespace slackline::internal
