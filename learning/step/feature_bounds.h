// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds on the features of one example: what step sizes without a line search need (R of
// Shalev-Shwartz and Zhang 2012).
#pragma once

#include <map>
#include <vector>

#include <slackline/core/dataset.h>

namespace slackline::internal {

/// Not below max over labellings y, y' of ‖φ(y) − φ(y')‖². Features of different weight blocks are
/// orthogonal; inside a block inputs count by their norms, and coordinates that several parts move
/// by the sum of what each can do. A global factor counts by the ranges of its features, which
/// `known` keeps from one example to the next. O(terms · states), and 2 · num_weights() calls of
/// each global factor that is not known.
using GlobalRanges = std::map<const GlobalFactor*, std::vector<double>>;
double SquaredFeatureRange(const ExampleView& example, GlobalRanges* known);
inline double SquaredFeatureRange(const ExampleView& example) {
  GlobalRanges known;
  return SquaredFeatureRange(example, &known);
}

/// max over allowed joint states y, y' of |φ_k(y) − φ_k(y')|, for each feature k of the factor.
std::vector<double> FeatureRanges(const GlobalFactor& factor);

/// For an example whose graph has no factors of any kind: not below max over z ≠ 0 of ‖Σ_i Σ_s
/// z_i(s) φ_i(s)‖² / ‖z‖².
double SquaredStateNorm(const ExampleView& example);

}  // namespace slackline::internal
