// SPDX-License-Identifier: BSD-3-Clause
//
// The scaling of inputs in model files: entry "scaling" with the name of its kind, "scaling_shift"
// and "scaling_divisor" with its numbers. Models with unscaled inputs have none of these entries.
#pragma once

#include <slackline/apps/common/training_record.h>
#include <slackline/core/feature_scaling.h>

namespace slackline::internal {

void SaveScaling(const FeatureScaling& scaling, ModelWriter* writer);

/// The scaling of a model with num_features features. Throws DataError when the entries are not a
/// scaling of that many features.
FeatureScaling LoadScaling(const ModelEntries& entries, Index num_features);

}  // namespace slackline::internal
