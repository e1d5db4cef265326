// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace slackline::internal {

/// Replaces x by the point of the simplex {β ≥ 0, Σβ = 1} that is nearest to it: argmax β·x −
/// ½‖β‖². Requires at least one entry, all finite. O(k log k).
void ProjectOntoSimplex(std::span<double> x);

}  // namespace slackline::internal
