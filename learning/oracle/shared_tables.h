// SPDX-License-Identifier: BSD-3-Clause
//
// Which factors of a structure have the same score table in every example.
#pragma once

#include <vector>

#include <slackline/core/structure.h>

namespace slackline::internal {

/// Numbers the score tables of the factors, in order of their first use: factors whose features are
/// the same coordinates with the same values, and that forbid the same states, have the same table
/// in every example.
std::vector<Index> SharedTables(const Structure& structure);

}  // namespace slackline::internal
