// SPDX-License-Identifier: BSD-3-Clause
//
// What the learners on planes have in common for their records: an option, and what they need.
#pragma once

#include <limits>

#include <slackline/learning/learner_record.h>

namespace slackline::internal {

/// Of all learners on planes.
struct PlaneOptions {
  /// Planes that had no weight in so many rounds are dropped; 0 = none are.
  Index prune_after = 50;
};
inline constexpr OptionRecord kPlaneOptions[] = {
    {.name = "prune-after",
     .placeholder = "N",
     .text = "cutting planes, bmrm: drop planes that had no weight in N rounds; 0 = keep all",
     .default_text = "50",
     .field = Field<&PlaneOptions::prune_after>,
     .maximum = std::numeric_limits<Index>::max()}};

/// Of cutting planes: with slack rescaling labellings are enumerated.
inline constexpr LearnerVariant kCuttingPlaneVariants[] = {
    {.options = "--rescaling slack",
     .applies = [](const TrainOptions& options) { return options.rescaling == Rescaling::kSlack; },
     .needs = NeedsAll(Need::kSumLoss, Need::kEnumeration)},
    {.needs = kNeedsOracle}};

}  // namespace slackline::internal
