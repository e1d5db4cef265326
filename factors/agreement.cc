// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/factors/agreement.h>

#include <slackline/factors/feature_table.h>

namespace slackline::internal {

AgreementFactor::AgreementFactor(Index cardinality) : cardinalities_{cardinality, cardinality} {
  CheckCardinalities(cardinalities_);
}

}  // namespace slackline::internal
