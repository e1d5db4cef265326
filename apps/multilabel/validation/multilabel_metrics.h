// SPDX-License-Identifier: BSD-3-Clause
//
// Agreement of predicted label sets with the ground truth.
//
// Unknown entries (−1) of the truth are ignored, and so are examples and labels without a known
// entry. 0/0 is as in scikit-learn: precision, recall and F1 of a label that is neither true nor
// predicted anywhere are 0, and count as 0 in macro_f1; micro_f1 is 0 if no label is true or
// predicted at all. However, an example whose true and predicted sets are both empty counts as 1 in
// example_f1 and jaccard.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <slackline/apps/common/folds.h>
#include <slackline/core/types.h>

namespace slackline::internal {

struct LabelMetrics {
  double precision = 0;  ///< TP / (TP + FP)
  double recall = 0;     ///< TP / (TP + FN)
  double f1 = 0;         ///< 2 TP / (2 TP + FP + FN)
  Index support = 0;     ///< number of examples that have the label
  Index known = 0;       ///< number of examples where it is known
};

struct MultiLabelMetrics {
  Index examples = 0;          ///< number with at least one known label
  double hamming_loss = 0;     ///< fraction of wrong entries among the known ones
  double subset_accuracy = 0;  ///< fraction of examples without a wrong entry
  double micro_f1 = 0;         ///< F1 of all entries together
  double macro_f1 = 0;         ///< mean of the labels' F1
  double example_f1 = 0;       ///< mean over examples of 2 |Y ∩ P| / (|Y| + |P|)
  double jaccard = 0;          ///< mean over examples of |Y ∩ P| / |Y ∪ P|
  std::vector<LabelMetrics> labels;
};

/// A metric by which models are compared.
struct MultiLabelFigure : FigureName {
  double MultiLabelMetrics::*member;
};
std::span<const MultiLabelFigure> MultiLabelFigures();

/// `truth` and `predicted`: examples × num_labels by rows; true entries are 0, 1 or −1, predicted
/// ones 0 or 1. All metrics are 0 if nothing is known.
MultiLabelMetrics ComputeMetrics(Index num_labels, std::span<const std::int8_t> truth,
                                 std::span<const std::int8_t> predicted);

}  // namespace slackline::internal
