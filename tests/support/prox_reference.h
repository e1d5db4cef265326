// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <slackline/core/loss.h>

#include "tests/support/dense_qp.h"

namespace slackline::internal::test {

/// min_w λ/2 ‖w‖² + l1 ‖w‖₁ + (1/M) Σ_m max_μ [θ_m·μ + (smoothing/2) Σ_i (1 − ‖μ_i‖²)] over convex
/// combinations of labellings, by the dense quadratic program of its dual: the columns are all
/// labellings, the soft threshold is a box, and a multiplier stands for every weight that must not
/// be of the other sign than its entry of `signs`. Suited to a hundred columns, without an l1 term
/// beside signs. `marginals` stays empty.
Optimum SolveProx(const TrainingSet& training, double lambda, double l1, double smoothing,
                  const std::vector<double>& signs = {});

}  // namespace slackline::internal::test
