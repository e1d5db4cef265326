// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds on the features of one example, which step sizes without a line search need (R of
// Shalev-Shwartz and Zhang 2012).
#pragma once

#include <map>
#include <vector>

#include <slackline/core/dataset.h>

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

/// An upper bound on max over z ≠ 0 of ‖Σ_i Σ_s z_i(s) φ_i(s)‖² / ‖z‖². Requires an example whose
/// graph has no factors of any kind, else std::invalid_argument.
double SquaredStateNorm(const ExampleView& example);

}  // namespace slackline::internal
