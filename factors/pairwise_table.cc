// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/pairwise_table.h>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>

namespace slackline::internal {

PairwiseTableFactor::PairwiseTableFactor(Index first_cardinality, Index second_cardinality)
    : cardinalities_{first_cardinality, second_cardinality} {
  SLACKLINE_CHECK(first_cardinality >= 1 && second_cardinality >= 1,
                  "a variable needs at least one state");
  SLACKLINE_CHECK(NumJointStates(cardinalities_) <= FactorGraphBuilder::kMaxTable,
                  "a factor's table would have more than 2^26 joint states");
}

}  // namespace slackline::internal
