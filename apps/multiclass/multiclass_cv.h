// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-validation of models of classes over λ.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <slackline/apps/common/cross_validation.h>
#include <slackline/apps/multiclass/multiclass_training.h>

namespace slackline::internal {

/// The metrics of a trial: mean cost, error rate and macro F1 (multiclass_metrics.h).
std::span<const FigureName> MulticlassFigures();

/// Features have the scaling of all examples, and models have all classes.
class MulticlassCv : public CvApplication {
 public:
  /// scaled: ScaleClasses of the data. All must outlive this object. Requires data without weights
  /// of examples.
  MulticlassCv(const MulticlassData& data, const ScaledInputs& scaled,
               const MulticlassTrainingOptions& options)
      : data_(data), scaled_(scaled), options_(options) {}

  std::string source() const override { return data_.source; }
  Index num_examples() const override { return data_.num_examples(); }
  bool HasKnownLabel(Index example) const override { return data_.labels[example] != kUnlabelled; }
  std::unique_ptr<FoldTrial> MakeTrial(std::size_t candidate, const Fold& fold,
                                       const TrainOptions& options) const override;

 private:
  const MulticlassData& data_;
  const ScaledInputs& scaled_;
  const MulticlassTrainingOptions& options_;
};

}  // namespace slackline::internal
