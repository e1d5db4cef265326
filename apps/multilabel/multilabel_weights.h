// SPDX-License-Identifier: BSD-3-Clause
//
// The weights of a multi-label model by name.
#pragma once

#include <string>

#include <slackline/apps/common/weight_summary.h>
#include <slackline/apps/multilabel/multilabel_model.h>

namespace slackline::internal {

/// Per label its features and its constant, and the pairs of labels. In kernelized models weights
/// belong to support vectors: labels only have constants, and a note says so.
WeightSummary SummariseWeights(const MultiLabelModel& model, const WeightSummaryOptions& options);

/// The name of a feature of the model, or "feature 17".
std::string FeatureName(const MultiLabelModel& model, Offset feature);

}  // namespace slackline::internal
