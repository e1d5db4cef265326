// SPDX-License-Identifier: BSD-3-Clause
//
// Synthetic multi-label data, and the training problems of multi-label data.
#pragma once

#include <cstdint>
#include <string>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/loss.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct SyntheticLabelsOptions {
  Index examples = 200;
  Index labels = 10;
  Index features = 1000;
  Index stored = 0;  ///< features that are not 0 in an example; 0 = all
  double label_noise = 0.05;
  bool constant = true;
  /// Dense inputs only: each column is multiplied by 10^u, with u drawn from [smallest_power,
  /// largest_power].
  double smallest_power = 0;
  double largest_power = 0;
  std::uint64_t seed = 1;
};

/// Multi-label data whose difficulty hardly depends on the number of features. A label is on with
/// probability 0.2, and with probability 0.3 it copies the label before it, so that pairs matter. A
/// dense input is noise plus a random direction for each label that is on. A sparse input takes
/// half of its features from those of the labels that are on (feature f belongs to label f mod
/// labels). Inputs have a norm of about 1. Finally each label flips with probability label_noise.
/// Throws std::invalid_argument on counts below 1 or more stored features than features.
MultiLabelData MakeSyntheticLabels(const SyntheticLabelsOptions& options);

/// `graph` is full, none or tree (label_graph.h). lambda: 0 = 1/M. Throws DataError where no
/// example has a known label.
Problem MakeLabelProblem(const MultiLabelData& data, const std::string& graph, LossScale scale,
                         double lambda);

/// Count loss, all pairs of labels.
Problem MakeFullGraphProblem(const MultiLabelData& data, double lambda);

}  // namespace slackline::internal
