// SPDX-License-Identifier: BSD-3-Clause
//
// Missing feature values and their replacement, the mean of the known values in training.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/exact_sum.h>
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

/// Exact sums of the values of every feature: they do not depend on the order of the rows or on the
/// number of ranks. Memory: about 50 bytes per feature.
class FeatureMeanSums {
 public:
  explicit FeatureMeanSums(Index num_features);
  /// Adds rows with their missing values.
  void Add(const FeatureRows& rows, std::span<const MissingValue> missing);
  /// FeatureMeans of the rows that were added on all ranks. All ranks must call it, once.
  std::vector<double> Finish(Ranks& ranks);

 private:
  std::vector<ExactSum> sums_;
  std::vector<std::int64_t> known_;
};

/// The mean of every feature below num_features over the rows of all ranks that have a value; 0 if
/// no row has one. Within ±1e50, as all values are. All ranks must call it.
std::vector<double> FeatureMeans(const FeatureRows& rows, Index num_features,
                                 const std::vector<MissingValue>& missing, Ranks& ranks);

/// The rows with fill[feature] in place of missing values, which must be in the order of rows.
FeatureRows FillMissing(const FeatureRows& rows, const std::vector<MissingValue>& missing,
                        const std::vector<double>& fill);

}  // namespace slackline::internal
