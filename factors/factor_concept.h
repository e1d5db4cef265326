// SPDX-License-Identifier: BSD-3-Clause
//
// What a factor is: an object that knows its shape and its features. It has no weights of its own;
// it reads num_weights local ones, which a model places anywhere in its weight vector. Its score of
// a joint state is w·φ(y).
//
// A user's factor comes at three levels, each of which conformance.h checks:
//   1. TableFactor::FromFunction (table.h): a function that fills in φ, state by state;
//   2. a type of one's own that models the concept below;
//   3. a class derived from UserDefinedFactor (user_defined.h): chosen at run time.
// Factor objects are for describing and examining a model. Models tabulate them once
// (model_builder.h); training and inference then run over plain tables and never call them, nor
// their Maximize. A factor whose max oracle is to be called is a GlobalFactor (core/global_factor.h);
// the public face makes one of every factor type that has a Maximize (api/factor.h).
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/types.h>
#include <slackline/factors/feature_table.h>
#include <slackline/factors/joint_states.h>
#include <slackline/factors/marginalization.h>
#include <slackline/factors/max_oracle.h>

namespace slackline::internal {

/// cardinalities()              states of each variable of the scope; the last one is fastest in
///                              joint states
/// num_weights()                how many local weights the factor reads
/// AddFeatures(y, scale, out)   out += scale · φ(y); out has num_weights() entries, those without a
///                              feature stay as they are
/// All const, without side effects, and the same on every call.
template <class F>
concept Factor = requires(const F& factor, std::span<const Index> states, double scale,
                          std::span<double> out) {
  { factor.cardinalities() } -> std::same_as<std::span<const Index>>;
  { factor.num_weights() } -> std::same_as<Index>;
  factor.AddFeatures(states, scale, out);
};

/// Optional: w·φ(y) in less time than the features take.
template <class F>
concept FactorWithScore = requires(const F& factor, std::span<const double> weights,
                                   std::span<const Index> states) {
  { factor.Score(weights, states) } -> std::same_as<double>;
};

/// Optional: the factor's own max oracle, which maximises w·φ(y) − Σ_i messages_i(y_i); messages
/// are those of the scope, one after the other. Of several best joint states it returns the lowest.
template <class F>
concept FactorWithMaximize = requires(const F& factor, std::span<const double> weights,
                                      std::span<const double> messages) {
  { factor.Maximize(weights, messages) } -> std::same_as<FactorMax>;
};

/// Optional: all features at once, in less time than state by state.
template <class F>
concept FactorWithFeatureTable = requires(const F& factor) {
  { factor.feature_table() } -> std::convertible_to<const FeatureTable&>;
};

/// w·φ(states). Requires weights.size() = num_weights().
template <Factor F>
double Score(const F& factor, std::span<const double> weights, std::span<const Index> states) {
  if constexpr (FactorWithScore<F>) {
    return factor.Score(weights, states);
  } else {
    std::vector<double> features(weights.size(), 0.0);
    factor.AddFeatures(states, 1.0, features);
    double score = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) score += weights[k] * features[k];
    return score;
  }
}

/// out[y] = w·φ(y) for all joint states y. Requires weights.size() = num_weights(), out.size() =
/// their number.
template <Factor F>
void ScoreTable(const F& factor, std::span<const double> weights, std::span<double> out) {
  const std::span<const Index> cardinalities = factor.cardinalities();
  SLACKLINE_CHECK(static_cast<Index>(weights.size()) == factor.num_weights(),
                  "a factor's weights do not fit it");
  SLACKLINE_CHECK(static_cast<Offset>(out.size()) == NumJointStates(cardinalities),
                  "a table does not fit its factor");
  std::vector<Index> states(cardinalities.size(), 0);
  for (double& score : out) {
    score = Score(factor, weights, states);
    NextJoint(cardinalities, states);
  }
}

/// The best joint state of w·φ(y) − Σ_i messages_i(y_i): by the factor's own oracle where it has
/// one, else by its table.
template <Factor F>
FactorMax MaxOracle(const F& factor, std::span<const double> weights,
                    std::span<const double> messages) {
  const Offset num_states = NumJointStates(factor.cardinalities());
  if constexpr (FactorWithMaximize<F>) {
    const FactorMax best = factor.Maximize(weights, messages);
    SLACKLINE_CHECK(best.joint >= 0 && best.joint < num_states,
                    "a factor's oracle returned a state it does not have");
    return best;
  } else {
    std::vector<double> table(num_states);
    ScoreTable(factor, weights, table);
    return ReparametrisedMax(factor.cardinalities(), table, messages);
  }
}

/// The marginalization matrix A_ci for the variable at `position` in the factor's scope.
template <Factor F>
Marginalization MarginalizationOf(const F& factor, Index position) {
  return Marginalization(factor.cardinalities(), position);
}

/// The features of all joint states. Unless the factor brings its table, O(joint states ·
/// num_weights).
template <Factor F>
FeatureTable TabulateFeatures(const F& factor) {
  if constexpr (FactorWithFeatureTable<F>) {
    return factor.feature_table();
  } else {
    const std::span<const Index> cardinalities = factor.cardinalities();
    FeatureTableBuilder builder(cardinalities, factor.num_weights());
    std::vector<Index> states(cardinalities.size(), 0);
    std::vector<double> features(factor.num_weights());
    do {
      std::fill(features.begin(), features.end(), 0.0);
      factor.AddFeatures(states, 1.0, features);
      builder.Append(features);
    } while (NextJoint(cardinalities, states));
    return builder.Finish();
  }
}

}  // namespace slackline::internal
