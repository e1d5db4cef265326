// SPDX-License-Identifier: BSD-3-Clause
//
// The weights of a model of classes by name.
#pragma once

#include <slackline/apps/common/weight_summary.h>
#include <slackline/apps/multiclass/multiclass_model.h>

namespace slackline::internal {

/// The weights for and against every class.
WeightSummary SummariseWeights(const MulticlassModel& model, const WeightSummaryOptions& options);

}  // namespace slackline::internal
