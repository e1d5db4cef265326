// SPDX-License-Identifier: BSD-3-Clause
//
// One fold of the cross-validation of matchings.
#pragma once

#include <span>
#include <vector>

#include <slackline/apps/common/path_trial.h>
#include <slackline/apps/matching/matching_model.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

/// Figures: F1, precision, recall, share of examples without an error, mean loss.
class MatchingTrial : public PathTrial {
 public:
  /// Holds out fold number `number` of the examples. `model`: with the features of the data; its
  /// weights are not looked at. options: λ is not used. All arguments are copied, but for the edges
  /// and features of the data. Throws DataError when a fold has nothing to train on or nothing to
  /// compare with.
  MatchingTrial(const MatchingData& data, const MatchingModel& model, LossScale loss,
                const TrainOptions& options, const std::vector<std::vector<Index>>& folds,
                std::size_t number);

 private:
  std::vector<double> Figures(std::span<const double> weights) override;

  MatchingModel model_;
  MatchingData held_out_;
};

}  // namespace slackline::internal
