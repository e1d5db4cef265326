// SPDX-License-Identifier: BSD-3-Clause
//
// Optima of small training problems at any scale of features, losses and λ, independent of the
// library's learning code: all labellings that states and global factors allow are columns of the
// dual
//
//   D(β) = (1/M) [β·Δ + (γ/2) Σ_i (1 − ‖μ_i‖²)] − λ/2 ‖soft(v, σ/λ)‖²,   v = Ψβ/(λM),
//
// β on one simplex per example, maximised by steps on pairs of labellings in long double. Both
// sides of the bracket are evaluated at the point that was reached, so they hold however far the
// steps came: D(β) ≤ optimum ≤ D(β) + Σ_m [max_k ∂_k D − Σ_k β_k ∂_k D].
#pragma once

#include <slackline/core/kernel.h>
#include <slackline/core/loss.h>

namespace slackline::internal::test {

struct ReferenceObjective {
  bool slack = false;              ///< slack rescaling
  double l1 = 0;                   ///< σ; not with a kernel
  double smoothing = 0;            ///< γ
  const Kernel* kernel = nullptr;  ///< on the inputs; null: linear features
};

struct ReferenceBracket {
  double lower = 0;
  double upper = 0;
};

/// Of the exact problem. Throws std::invalid_argument for more than 600 labellings.
ReferenceBracket BracketOptimum(const TrainingSet& training, double lambda,
                                const ReferenceObjective& objective = {});

}  // namespace slackline::internal::test
