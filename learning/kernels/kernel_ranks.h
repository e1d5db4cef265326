// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <slackline/core/ranks.h>

namespace slackline::internal {

/// Throws DataError where several ranks train together: a row of the kernel matrix compares one
/// example with all others, so that every rank would need all examples.
inline void RefuseKernelOnRanks(const Ranks& ranks) {
  RequireOneRank(ranks, "--kernel, which compares every example with all others,");
}

}  // namespace slackline::internal
