// SPDX-License-Identifier: BSD-3-Clause
//
// What stands behind a Dataset.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/loss.h>
#include <slackline/dataset.h>

namespace slackline {
inline namespace v1 {

struct DatasetImpl {
  struct OwnLoss {
    std::vector<double> weights;  // per variable
    std::vector<double> table;    // per state
  };

  DatasetImpl(std::shared_ptr<const internal::WeightLayout> layout, const DatasetOptions& options);

  std::shared_ptr<internal::FeatureRows> rows;
  internal::Dataset data;
  std::vector<OwnLoss> own_losses;  // per example
};

/// Appends the rows.
void AppendInputs(const Inputs& inputs, internal::FeatureRows* rows);

/// The training set of the examples: MakeTrainingSet with their own losses put in.
internal::TrainingSet TrainingSetOf(const DatasetImpl& dataset,
                                    const internal::LossOptions& options);

/// An observation as the algorithms see examples: a data set of one, without labels. Throws
/// std::invalid_argument when it does not fit the structure.
internal::Dataset OneExample(const std::shared_ptr<const internal::Structure>& structure,
                             const Observation& observation);

}  // namespace v1
}  // namespace slackline
