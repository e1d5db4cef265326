// SPDX-License-Identifier: BSD-3-Clause
//
// The weights of a chain model by name.
#pragma once

#include <string>

#include <slackline/apps/common/weight_summary.h>
#include <slackline/apps/sequence/sequence_model.h>

namespace slackline::internal {

/// Per label its observations, its constant and those of the first and the last token; and the
/// transitions that the model's constraints allow. Weights of kernelized models belong to support
/// vectors and not to observations: their labels have constants only, and a note says so.
WeightSummary SummariseWeights(const SequenceModel& model, const WeightSummaryOptions& options);

/// The text of a feature of CoNLL data, or its number where features are hashed; the row and the
/// column of a pixel, both from 1, of letters with 16 × 8 pixels, else its number.
std::string FeatureName(const SequenceModel& model, Offset feature);

}  // namespace slackline::internal
