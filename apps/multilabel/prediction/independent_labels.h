// SPDX-License-Identifier: BSD-3-Clause
//
// The baseline of a multi-label model: the same model without pairs of labels. The difference
// between the two shows what the pairs are worth.
#pragma once

#include <atomic>

#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

struct IndependentLabels {
  MultiLabelModel model;
  double lambda = 0;  ///< the default for the data
  TrainSummary summary;
};

/// Trains a model with the labels, features, scaling, constant, loss and kernel of `like`, but no
/// pairs, on data read with like.ReadOptions(). λ is the default of `train`. After an interrupt the
/// summary says so, and the model is the best one so far. `observer` and `interrupt` may be null.
/// Throws DataError when the data have no known label or need more memory than there is.
IndependentLabels TrainIndependentLabels(const MultiLabelModel& like, const MultiLabelData& data,
                                         Index threads, TrainObserver* observer,
                                         const std::atomic<int>* interrupt);

}  // namespace slackline::internal
