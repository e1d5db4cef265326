// SPDX-License-Identifier: BSD-3-Clause
//
// The weights of a linear model by name.
#pragma once

#include <slackline/apps/common/weight_summary.h>
#include <slackline/apps/linear/linear_model.h>

namespace slackline::internal {

/// The weights for and against the second class, or for large and small numbers.
WeightSummary SummariseWeights(const LinearModel& model, const WeightSummaryOptions& options);

}  // namespace slackline::internal
