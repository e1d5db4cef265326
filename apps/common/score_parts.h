// SPDX-License-Identifier: BSD-3-Clause
//
// A score taken apart into what its features contribute. The functions that explain predictions are
// those of the applications (multilabel_explain.h, sequence_explain.h).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <slackline/core/feature_rows.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// value × weight of one feature.
struct ScorePart {
  std::string name;
  double value = 0;  ///< as the model sees it, scaled
  double raw = 0;    ///< as the data have it; kNone where that is not known
  double weight = 0;
  double score = 0;  ///< value · weight
};

/// A sum of such parts.
struct ScoreSum {
  std::vector<ScorePart> parts;  ///< the strongest by |score|, falling; never scores of 0
  Offset num_others = 0;         ///< further parts with scores that are not 0
  double others = 0;             ///< their sum
  double total = 0;              ///< of all parts
  double magnitude = 0;          ///< sum of the absolute values of all parts
};

/// What a linear model makes of an input. Weight of feature f < num_features:
/// weights[f · stride + offset]. Features from num_features on, such as a constant, do not count.
struct LinearScore {
  std::span<const double> weights;
  Offset stride = 1;
  Offset offset = 0;
  Index num_features = 0;
};
ScoreSum TakeApart(const LinearScore& linear, const FeatureRow& x, const FeatureScaling& scaling,
                   Index top, const std::function<std::string(Offset)>& name);

/// Throws std::logic_error when two sums of the same terms do not agree up to rounding. magnitude:
/// the sum of the terms' absolute values. Throws DataError when that is not finite.
void CheckSums(double a, double b, double magnitude);

}  // namespace slackline::internal
