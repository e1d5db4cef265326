// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/unary.h>

#include <utility>

namespace slackline::internal {

UnaryFactor::UnaryFactor(std::vector<Index> rows, Index num_weights)
    : table_({static_cast<Index>(rows.size())}, num_weights, StateMap{std::move(rows), {}}) {}

}  // namespace slackline::internal
