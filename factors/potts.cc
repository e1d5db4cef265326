// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/potts.h>

#include <slackline/factors/feature_table.h>

namespace slackline::internal {

PottsFactor::PottsFactor(Index cardinality) : cardinalities_{cardinality, cardinality} {
  CheckCardinalities(cardinalities_);
}

}  // namespace slackline::internal
