// SPDX-License-Identifier: BSD-3-Clause
//
// Checks whether a global factor does what core/global_factor.h asks of it. For the tests of one's
// own factors:
//
//     const ConformanceReport report = CheckGlobalFactor(MyFactor(6));
//     if (!report.ok()) std::cerr << report.Text();
//
// Make the factor small for this: where it has at most options.max_states joint states, its maximum
// is compared with that of all of them; else only with those of a few states.
#pragma once

#include <slackline/core/global_factor.h>
#include <slackline/factors/conformance.h>

namespace slackline::internal {

/// Shape and features (finite, in proportion to the scale, added, the same on every call), Score
/// against the features, Maximize (states in range and allowed, its value that of the states,
/// nothing better) with random, tied, large and zero weights and messages, and IsRestricted against
/// Allows. Exceptions of its methods become failures.
ConformanceReport CheckGlobalFactor(const GlobalFactor& factor,
                                    const ConformanceOptions& options = {});

}  // namespace slackline::internal
