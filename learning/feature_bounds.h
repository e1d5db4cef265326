// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds on the features of one example: what step sizes without a line search need (R of Shalev-Shwartz and Zhang 2012).
#pragma once

#include <slackline/core/dataset.h>

namespace slackline {

/// Not below max over labellings y, y' of ‖φ(y) − φ(y')‖². Features of different weight blocks are orthogonal; inside a block inputs count
/// by their norms, and coordinates that several parts move by the sum of what each can do. Global factors are not counted. O(terms ·
/// states).
double SquaredFeatureRange(const ExampleView& example);

/// For an example whose graph has no factors: not below max over z ≠ 0 of ‖Σ_i Σ_s z_i(s) φ_i(s)‖² / ‖z‖².
double SquaredStateNorm(const ExampleView& example);

}  // namespace slackline
