// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/unary.h>

namespace slackline::internal {

UnaryFactor::UnaryFactor(const std::vector<Index>& rows, Index num_weights)
    : table_({static_cast<Index>(rows.size())}, num_weights, StateMap{rows, {}}) {}

}  // namespace slackline::internal
