// SPDX-License-Identifier: BSD-3-Clause
//
// Missing feature values, and what stands in their place: the mean of the known values of training.
#pragma once

#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// A feature value that is not known. Until it is filled in, the row has a 0 there (a sparse row
/// has it among its stored values).
struct MissingValue {
  Index row = 0;
  Index feature = 0;
};

/// The mean of every feature below num_features over the rows that know it; 0 where none does.
/// Within ±1e50 (as all values are). Sums go in the order of the rows.
std::vector<double> FeatureMeans(const FeatureRows& rows, Index num_features,
                                 const std::vector<MissingValue>& missing);

/// The rows with fill[feature] in the place of missing values, which are ordered by row.
FeatureRows FillMissing(const FeatureRows& rows, const std::vector<MissingValue>& missing,
                        const std::vector<double>& fill);

}  // namespace slackline::internal
