// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <slackline/core/types.h>

namespace slackline::internal {

/// How a pass steps on the factor blocks of all examples.
struct FactorPass {
  double rho = 1;
  double eta_step = 0;          ///< τ/ρ; 0: multipliers stay as they are
  Index visits_per_update = 1;  ///< in the order `uniform`: visits of an example per update
};

}  // namespace slackline::internal
