// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/user_defined.h>

#include <vector>

namespace slackline::internal {

double UserDefinedFactor::Score(std::span<const double> weights,
                                std::span<const Index> states) const {
  std::vector<double> features(weights.size(), 0.0);
  AddFeatures(states, 1.0, features);
  double score = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) score += weights[k] * features[k];
  return score;
}

FactorMax UserDefinedFactor::Maximize(std::span<const double> weights,
                                      std::span<const double> messages) const {
  std::vector<double> table(NumJointStates(cardinalities()));
  ScoreTable(*this, weights, table);
  return ReparametrisedMax(cardinalities(), table, messages);
}

}  // namespace slackline::internal
