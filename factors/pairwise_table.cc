// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/pairwise_table.h>

#include <slackline/factors/feature_table.h>

namespace slackline::internal {

PairwiseTableFactor::PairwiseTableFactor(Index first_cardinality, Index second_cardinality)
    : cardinalities_{first_cardinality, second_cardinality} {
  CheckCardinalities(cardinalities_);
}

}  // namespace slackline::internal
