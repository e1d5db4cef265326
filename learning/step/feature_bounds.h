// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds on the features of one example, which step sizes without a line search need (R of
// Shalev-Shwartz and Zhang 2012).
#pragma once

#include <map>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/feature_gram.h>

namespace slackline::internal {

/// An upper bound on max over labellings y, y' of ‖φ(y) − φ(y')‖². Features of different weight
/// blocks are orthogonal. Within a block inputs count by their norms, and a coordinate that several
/// parts move counts by the sum of these moves. A global factor counts by the ranges of its
/// features, which `known` keeps from one example to the next. O(terms · states), and 2 ·
/// num_weights() calls of each global factor that is not known.
using GlobalRanges = std::map<const GlobalFactor*, std::vector<double>>;
double SquaredFeatureRange(const ExampleView& example, GlobalRanges* known);
inline double SquaredFeatureRange(const ExampleView& example) {
  GlobalRanges known;
  return SquaredFeatureRange(example, &known);
}

/// max over allowed joint states y, y' of |φ_k(y) − φ_k(y')|, for each feature k of the factor.
std::vector<double> FeatureRanges(const GlobalFactor& factor);

/// ‖X‖² of an example without factors: max over z ≠ 0 of ‖Σ_i Σ_s z_i(s) φ_i(s)‖² / ‖z‖², where z
/// is a difference of two points, so that Σ_s z_i(s) = 0 for every variable i.
///
/// Exact, up to rounding, unless more than kMostExactStates states depend on each other: variables
/// that move no weight in common have orthogonal images, so that X*X has a block for each set of
/// variables that are connected by common weights, and its largest eigenvalue is the largest of the
/// blocks. The block of a larger set counts by the sum over its variables of ‖X_i‖², which is an
/// upper bound: ‖Σ_i X_i z_i‖ ≤ Σ_i ‖X_i‖ ‖z_i‖ ≤ (Σ_i ‖X_i‖²)^½ ‖z‖. A variable with more states
/// counts by the sum of the squared norms of the states.
///
/// Requires an example whose graph has no factors of any kind, else std::invalid_argument. O(n³)
/// for n states that depend on each other, n ≤ kMostExactStates; O(states) for a variable that
/// depends on no other and has one linear term with a row for each state. gram: work space.
double SquaredStateNorm(const ExampleView& example, FeatureGram* gram);
inline constexpr Index kMostExactStates = 64;

}  // namespace slackline::internal
