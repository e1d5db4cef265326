// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/potts.h>

#include <slackline/core/factor_graph_builder.h>

namespace slackline::internal {

PottsFactor::PottsFactor(Index cardinality) : cardinalities_{cardinality, cardinality} {
  SLACKLINE_CHECK(cardinality >= 1, "a variable needs at least one state");
  SLACKLINE_CHECK(NumJointStates(cardinalities_) <= FactorGraphBuilder::kMaxTable,
                  "a factor's table would have more than 2^26 joint states");
}

FactorMax PottsFactor::Maximize(std::span<const double> weights,
                                std::span<const double> messages) const {
  const Index states = cardinalities_[0];
  SLACKLINE_CHECK(weights.size() == 1 && static_cast<Index>(messages.size()) == 2 * states,
                  "the weights or messages do not fit a Potts factor");
  const double* first = messages.data();
  const double* second = first + states;

  // The two cheapest states of the second variable, the lower index first among equals.
  Index best = 0;
  Index runner_up = -1;
  for (Index s = 1; s < states; ++s) {
    if (second[s] < second[best]) {
      runner_up = best;
      best = s;
    } else if (runner_up < 0 || second[s] < second[runner_up]) {
      runner_up = s;
    }
  }

  FactorMax result;
  const auto consider = [&](Index a, Index b, double score) {
    const double value = score - (first[a] + second[b]);
    const Index joint = a * states + b;
    if (value > result.value || (value == result.value && joint < result.joint))
      result = {joint, value};
  };
  result = {0, -(first[0] + second[0])};
  for (Index a = 0; a < states; ++a) {
    consider(a, a, 0.0);
    const Index partner = a != best ? best : runner_up;
    if (partner >= 0) consider(a, partner, weights[0]);
  }
  return result;
}

}  // namespace slackline::internal
