// SPDX-License-Identifier: BSD-3-Clause
//
// Splits a score into the contributions of its features. The applications explain their predictions
// with it (multilabel_explain.h, sequence_explain.h).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// The contribution of one feature: value × weight.
struct ScorePart {
  std::string name;
  double value = 0;  ///< as the model sees it, scaled
  double raw = 0;    ///< as in the data; kNone if unknown
  double weight = 0;
  double score = 0;  ///< value · weight
};

/// A sum of such contributions.
struct ScoreSum {
  std::vector<ScorePart> parts;  ///< the largest by |score|, descending; never scores of 0
  Offset num_others = 0;         ///< number of further contributions that are not 0
  double others = 0;             ///< their sum
  double total = 0;              ///< of all contributions
  double magnitude = 0;          ///< sum of the absolute values of all contributions
};

/// A linear function of an input. The weight of feature f < num_features is weights[f · stride +
/// offset]. Features from num_features on, such as a constant, are ignored.
struct LinearScore {
  std::span<const double> weights;
  Offset stride = 1;
  Offset offset = 0;
  Index num_features = 0;
};
ScoreSum TakeApart(const LinearScore& linear, const FeatureRow& x, const FeatureScaling& scaling,
                   Index top, const std::function<std::string(Offset)>& name);

/// Throws std::logic_error when two sums of the same terms differ by more than rounding.
/// `magnitude` is the sum of the terms' absolute values. Throws DataError when it is not finite.
void CheckSums(double a, double b, double magnitude);

}  // namespace slackline::internal
