// SPDX-License-Identifier: BSD-3-Clause
//
// Optima of small training problems at any scale of features, losses and λ, computed without the
// library's learning code. The columns are all labellings that the states and the global factors
// allow. The dual is
//
//   D(β) = (1/M) [β·Δ + (γ/2) Σ_i (1 − ‖μ_i‖²)] − λ/2 ‖soft(v, σ/λ)‖²,   v = Ψβ/(λM),
//
// where constraints on signs turn entries of soft(v, σ/λ) that they forbid to 0,
// with β on one simplex per example; steps on pairs of labellings maximise it in long double. Both
// bounds are evaluated at the point reached, so they hold even where the steps did not converge:
// D(β) ≤ optimum ≤ D(β) + Σ_m [max_k ∂_k D − Σ_k β_k ∂_k D].
#pragma once

#include <slackline/core/kernel.h>
#include <slackline/core/loss.h>
#include <slackline/learning/sign_constraints.h>

namespace slackline::internal::test {

struct ReferenceObjective {
  bool slack = false;              ///< slack rescaling
  double l1 = 0;                   ///< σ; not with a kernel
  double smoothing = 0;            ///< γ
  const Kernel* kernel = nullptr;  ///< on the inputs; null: linear features
  SignConstraints signs = {};      ///< of the weights; not with a kernel
};

struct ReferenceBracket {
  double lower = 0;
  double upper = 0;
};

/// Bounds on the optimum of the exact problem. Throws std::invalid_argument for more than 600
/// labellings.
ReferenceBracket BracketOptimum(const TrainingSet& training, double lambda,
                                const ReferenceObjective& objective = {});

}  // namespace slackline::internal::test
