// SPDX-License-Identifier: BSD-3-Clause
//
// The scaling of inputs in model files: entry "scaling" with the name of its kind, "scaling_shift"
// and "scaling_divisor" with its numbers. Models whose inputs are not scaled have none of them.
#pragma once

#include <slackline/apps/common/training_record.h>
#include <slackline/core/feature_scaling.h>

namespace slackline::internal {

void SaveScaling(const FeatureScaling& scaling, ModelWriter* writer);

/// The scaling of a model with so many features. Throws DataError when the entries are no scaling
/// of so many features.
FeatureScaling LoadScaling(const ModelEntries& entries, Index num_features);

}  // namespace slackline::internal
