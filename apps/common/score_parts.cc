// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/score_parts.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <slackline/core/check.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {
namespace {

/// Undoes the scaling of one value. Returns kNone for scaling by norms, because the norms are not
/// kept.
double RawValue(const FeatureScaling& scaling, bool dense, Index feature, double value) {
  if (scaling.kind() == ScaleKind::kNorm) return kNone;
  if (scaling.divisor().empty()) return value;
  const bool shifted = dense && !scaling.shift().empty();
  return value * scaling.divisor()[feature] + (shifted ? scaling.shift()[feature] : 0);
}

}  // namespace

ScoreSum TakeApart(const LinearScore& linear, const FeatureRow& x, const FeatureScaling& scaling,
                   Index top, const std::function<std::string(Offset)>& name) {
  SLACKLINE_CHECK(top >= 1, "an explanation needs room for one feature");
  struct Term {
    Index feature;
    double value, weight, score;
  };
  std::vector<Term> terms;
  ScoreSum sum;
  for (Index k = 0; k < x.count; ++k) {
    const Index feature = x.dense() ? k : x.columns[k];
    if (feature >= linear.num_features) break;
    const double weight = linear.weights[feature * linear.stride + linear.offset];
    const double score = x.values[k] * weight;
    sum.total += score;
    sum.magnitude += std::abs(score);
    if (score != 0) terms.push_back({feature, x.values[k], weight, score});
  }
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return std::abs(a.score) > std::abs(b.score);
  });
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const Term& term = terms[k];
    if (k < Size(top)) {
      sum.parts.push_back({name(term.feature), term.value,
                           RawValue(scaling, x.dense(), term.feature, term.value), term.weight,
                           term.score});
    } else {
      ++sum.num_others;
      sum.others += term.score;
    }
  }
  return sum;
}

void CheckSums(double a, double b, double magnitude) {
  constexpr double kRounding = 1e-9;
  // Finite weights of a manipulated model file may have infinite sums.
  if (!std::isfinite(magnitude))
    throw DataError("the model's weights are too large for these data");
  if (!(std::abs(a - b) <= kRounding * (1 + magnitude)))
    throw std::logic_error("the parts of a score do not add up to it");
}

}  // namespace slackline::internal
