// SPDX-License-Identifier: BSD-3-Clause
//
// Scores of training examples by models that have not seen them.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include <slackline/apps/multilabel/validation/multilabel_trial.h>

namespace slackline::internal {

/// Throws DataError when a fold has no known label, or holds all of them: then nothing can be
/// trained without it, or tried on it.
void CheckFolds(const MultiLabelData& data, const std::vector<std::vector<Index>>& folds);

/// Max-marginal differences of all examples, examples × labels by rows: for every fold a model is
/// trained on the other folds, with options.train and this λ, and scores the fold. Folds are
/// trained side by side in options.train.threads threads; the result does not depend on their
/// number. None when interrupted (`interrupt` may be null). Throws what MultiLabelTrial throws.
std::optional<std::vector<double>> OutOfFoldScores(const MultiLabelData& data,
                                                   const MultiLabelTrialOptions& options,
                                                   const std::vector<std::vector<Index>>& folds,
                                                   double lambda,
                                                   const std::atomic<int>* interrupt);

}  // namespace slackline::internal
