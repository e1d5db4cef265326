// SPDX-License-Identifier: BSD-3-Clause
//
// A factor with a table is an object that knows its shape and its features. It has no weights of
// its own: it reads num_weights local weights, and a model chooses where they lie in its weight
// vector. The score of a joint state is w·φ(y).
//
// There are two ways to write such a factor; conformance.h checks both:
//   1. TableFactor::FromFunction (table.h): a function that fills in φ, state by state;
//   2. a type that models the concept below.
// A model tabulates the features of a factor once (model_builder.h). Training and inference read
// the tables and never call a factor object.
//
// A factor with its own max oracle is a GlobalFactor (core/global_factor.h) and has no table. The
// public interface makes a GlobalFactor of every type that has a Maximize (api/factor.h).
#pragma once

#include <algorithm>
#include <concepts>
#include <span>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/factors/feature_table.h>
#include <slackline/factors/joint_states.h>

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

/// Optional: tabulates all features at once, faster than state by state.
template <class F>
concept FactorWithFeatureTable = requires(const F& factor) {
  { factor.feature_table() } -> std::convertible_to<const FeatureTable&>;
};

/// The features of all joint states. O(joint states · num_weights) unless the factor brings its
/// table.
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
