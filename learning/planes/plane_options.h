// SPDX-License-Identifier: BSD-3-Clause
//
// What the records of the learners on planes share: an option.
#pragma once

#include <limits>
#include <span>

#include <slackline/learning/learner_record.h>

namespace slackline::internal {

/// Options of all learners on planes.
struct PlaneOptions {
  /// Number of rounds without weight after which a plane is dropped; 0 = planes are never dropped.
  Index prune_after = 50;
};
inline constexpr OptionRecord kPlaneOptions[] = {
    {.name = "prune-after",
     .placeholder = "N",
     .text = "cutting planes, bmrm: drop planes whose dual variable was zero for N rounds; 0 = "
             "keep all",
     .default_text = "50",
     .field = Field<&PlaneOptions::prune_after>,
     .maximum = std::numeric_limits<Index>::max()}};
inline constexpr std::span<const OptionRecord> kPlaneOptionLists[] = {kPlaneOptions};

}  // namespace slackline::internal
