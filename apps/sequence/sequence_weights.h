// SPDX-License-Identifier: BSD-3-Clause
//
// The weights of a chain model by name.
#pragma once

#include <string>

#include <slackline/apps/common/weight_summary.h>
#include <slackline/apps/sequence/sequence_model.h>

namespace slackline::internal {

/// Per label its observations, its constant and its weights at the first and the last token; and
/// the transitions that the model's constraints allow. Weights of kernelized models belong to
/// support vectors, not to observations: their labels only have constants, and a note says so.
WeightSummary SummariseWeights(const SequenceModel& model, const WeightSummaryOptions& options);

/// The name of a feature. CoNLL: its text, or its number if features are hashed. Letters of 16 × 8
/// pixels: the row and the column of the pixel, both from 1; other letters: its number.
std::string FeatureName(const SequenceModel& model, Offset feature);

}  // namespace slackline::internal
