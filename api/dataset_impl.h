// SPDX-License-Identifier: BSD-3-Clause
//
// The implementation of Dataset.
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

/// Appends all input rows to `rows`.
void AppendInputs(const Inputs& inputs, internal::FeatureRows* rows);

/// MakeTrainingSet of the examples; examples' own losses replace the losses of `options`. Throws
/// std::invalid_argument when an example has its own losses and the options ask for 1 − F1.
internal::TrainingSet TrainingSetOf(const DatasetImpl& dataset,
                                    const internal::LossOptions& options);

/// A data set of one example without labels, which is how the algorithms read an observation.
/// Throws std::invalid_argument when the observation does not fit the structure.
internal::Dataset OneExample(const std::shared_ptr<const internal::Structure>& structure,
                             const Observation& observation);

}  // namespace v1
}  // namespace slackline
