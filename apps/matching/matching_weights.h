// SPDX-License-Identifier: BSD-3-Clause
//
// The weights of a matching model by name.
#pragma once

#include <slackline/apps/common/weight_summary.h>
#include <slackline/apps/matching/matching_model.h>

namespace slackline::internal {

/// The weights for and against an edge: one entry with an empty label.
WeightSummary SummariseWeights(const MatchingModel& model, const WeightSummaryOptions& options);

}  // namespace slackline::internal
