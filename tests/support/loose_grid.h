// SPDX-License-Identifier: BSD-3-Clause
//
// Grids of tables whose LP relaxation is loose.
#pragma once

#include <slackline/learning/problem.h>

#include "bench/drawn/grid_problem.h"

namespace slackline::internal::test {

inline Problem LooseGrid(double lambda, Index examples = 2, Index side = 8, Index states = 5) {
  const GridProblemOptions grid{.examples = examples,
                                .rows = side,
                                .cols = side,
                                .states = states,
                                .features = 3,
                                .label_noise = 0.4};
  return Problem(MakeGridProblem(grid), lambda);
}

}  // namespace slackline::internal::test
