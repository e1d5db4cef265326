// SPDX-License-Identifier: BSD-3-Clause
//
// Missing feature values and their replacement, the mean of the known values in training.
#pragma once

#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// A missing feature value. Until it is filled in, the row has a 0 in its place (a sparse row
/// stores this 0).
struct MissingValue {
  Index row = 0;
  Index feature = 0;
};

/// The mean of every feature below num_features over the rows of all ranks that have a value; 0 if
/// none does. Within ±1e50, as all values are. All ranks call this function. Sums are exact before
/// they are divided, so that the means do not depend on the order of the rows, nor on the number of
/// ranks. Memory: about 50 bytes per feature.
std::vector<double> FeatureMeans(const FeatureRows& rows, Index num_features,
                                 const std::vector<MissingValue>& missing, Ranks& ranks);

/// The rows with fill[feature] in place of missing values, which must be in the order of rows.
FeatureRows FillMissing(const FeatureRows& rows, const std::vector<MissingValue>& missing,
                        const std::vector<double>& fill);

}  // namespace slackline::internal
