// SPDX-License-Identifier: BSD-3-Clause
//
// The weights of a segmentation model by name.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <slackline/apps/common/weight_summary.h>
#include <slackline/apps/segmentation/segment_model.h>

namespace slackline::internal {

/// Per class its features in both layers ("fine" or "coarse" precedes their names); for models of
/// class potentials instead a list with one weight per class. Then the links between the layers, as
/// pairs of classes or as one weight, and the weights of neighbours of different classes by
/// contrast. feature_names: of the model's features; empty: by number. Throws std::invalid_argument
/// when their number is wrong.
WeightSummary SummariseWeights(const SegmentModel& model,
                               std::span<const std::string> feature_names,
                               const WeightSummaryOptions& options);

/// A range of the features of a file, with the name of its block.
struct NamedRange {
  std::string name;
  Index begin = 0;
  Index size = 0;
};
/// The names of the model's features: the name of their block in the feature file and the number
/// within it, from 1 ("own/lab 3"). A feature outside all blocks has its number in the file.
std::vector<std::string> SegmentFeatureNames(const SegmentModel& model,
                                             std::span<const NamedRange> blocks);

}  // namespace slackline::internal
