// SPDX-License-Identifier: BSD-3-Clause
//
// How well predicted label sets agree with given ones.
//
// Entries whose given label is not known (−1) take no part in anything, nor do examples and labels
// without any known entry. Divisions 0/0, as scikit-learn decides them: precision, recall and F1 of
// a label that is neither given nor predicted are 0, and count as 0 in macro_f1; micro_f1 without
// anything given or predicted is 0. But an example whose given and predicted sets are both empty is
// predicted rightly: example_f1 and jaccard count it as 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

struct LabelMetrics {
  double precision = 0;  ///< TP / (TP + FP)
  double recall = 0;     ///< TP / (TP + FN)
  double f1 = 0;         ///< 2 TP / (2 TP + FP + FN)
  Index support = 0;     ///< examples that have the label
  Index known = 0;       ///< examples where it is known
};

struct MultiLabelMetrics {
  Index examples = 0;          ///< with at least one known label
  double hamming_loss = 0;     ///< share of wrong entries among all known ones
  double subset_accuracy = 0;  ///< share of examples without any wrong entry
  double micro_f1 = 0;         ///< F1 of all entries together
  double macro_f1 = 0;         ///< mean of the labels' F1
  double example_f1 = 0;       ///< mean over examples of 2 |Y ∩ P| / (|Y| + |P|)
  double jaccard = 0;          ///< mean over examples of |Y ∩ P| / |Y ∪ P|
  std::vector<LabelMetrics> labels;
};

/// given and predicted: examples × num_labels by rows; given entries are 0, 1 or −1, predicted ones
/// 0 or 1. All figures are 0 when nothing is known.
MultiLabelMetrics ComputeMetrics(Index num_labels, std::span<const std::int8_t> given,
                                 std::span<const std::int8_t> predicted);

}  // namespace slackline::internal
