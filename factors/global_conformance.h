// SPDX-License-Identifier: BSD-3-Clause
//
// Checks whether a global factor does what core/global_factor.h asks of it. For tests of a user's
// own factors:
//
//     const ConformanceReport report = CheckGlobalFactor(MyFactor(6));
//     if (!report.ok()) std::cerr << report.Text();
//
// Test a small instance: the maximum is compared with all joint states if there are at most
// options.max_states, otherwise with a few joint states.
#pragma once

#include <slackline/core/global_factor.h>
#include <slackline/factors/conformance.h>

namespace slackline::internal {

/// Checks the shape; the features (finite, proportional to the scale, added, the same on every
/// call); Score against the features; IsRestricted against Allows; and Maximize (states in range
/// and allowed, value equal to their score, no better state) with random, tied, large and zero
/// weights and messages. Exceptions of the factor's methods become failures.
ConformanceReport CheckGlobalFactor(const GlobalFactor& factor,
                                    const ConformanceOptions& options = {});

}  // namespace slackline::internal
