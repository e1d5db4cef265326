// SPDX-License-Identifier: BSD-3-Clause
//
// Predictions of a model of classes. Results do not depend on the number of threads.
#pragma once

#include <span>
#include <vector>

#include <slackline/apps/multiclass/multiclass_model.h>

namespace slackline::internal {

struct MulticlassPredictions {
  std::vector<Index> labels;   ///< of the largest score; of equal ones the first
  std::vector<double> scores;  ///< w·φ(x, y): examples × K by rows
};

/// Predicts the classes of rows scaled by the model's scaling. threads: 0 = all of the machine.
/// Throws DataError when scores are not finite, and std::invalid_argument when rows have more
/// features than the model.
MulticlassPredictions PredictClasses(const MulticlassModel& model, const FeatureRows& rows,
                                     Index threads);
/// The same for these rows of training data (MulticlassModel::TrainingScores).
MulticlassPredictions PredictTrainingRows(const MulticlassModel& model, const FeatureRows& rows,
                                          std::span<const Index> examples, Index threads);

}  // namespace slackline::internal
