// SPDX-License-Identifier: BSD-3-Clause
//
// Checks whether a global factor does what core/global_factor.h asks of it. For tests of a user's
// own factors:
//
//     const ConformanceReport report = CheckGlobalFactor(MyFactor(6));
//     if (!report.ok()) std::cerr << report.Text();
//
// Test a small instance: with at most options.max_states joint states the maximum is compared with
// all of them, otherwise only with a few.
#pragma once

#include <slackline/core/global_factor.h>
#include <slackline/factors/conformance.h>

namespace slackline::internal {

/// Checks the shape, the features (finite, proportional to the scale, added, the same on every
/// call), Score against the features, IsRestricted against Allows, and Maximize (states in range
/// and allowed, the returned value that of the states, no better state) with random, tied, large
/// and zero weights and messages. Exceptions of the factor's methods become failures.
ConformanceReport CheckGlobalFactor(const GlobalFactor& factor,
                                    const ConformanceOptions& options = {});

}  // namespace slackline::internal
