// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/agreement.h>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>

namespace slackline::internal {

AgreementFactor::AgreementFactor(Index cardinality) : cardinalities_{cardinality, cardinality} {
  SLACKLINE_CHECK(cardinality >= 1, "a variable needs at least one state");
  SLACKLINE_CHECK(NumJointStates(cardinalities_) <= FactorGraphBuilder::kMaxTable,
                  "a factor's table would have more than 2^26 joint states");
}

}  // namespace slackline::internal
