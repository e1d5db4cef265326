// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `al`: the LP-relaxed problem by factor blocks, with a penalty and multipliers.
//
//   AL(μ, η) = f(μ) − (1/M) Σ η·v − (1/(2ρM)) Σ‖v‖²,   v_ci = A_ci μ_c − μ_i
//   block steps on AL; then η_ci += τ v_ci/ρ                     (docs/notation.md)
//
// Source: second extension in section 7 of Meshi, Srebro, Hazan, AISTATS 2015; the multipliers are
// updated example by example instead of in an outer loop. Axes: as soft. Stops on the certified gap
// of the relaxed problem.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct AugmentedLagrangianOptions {
  /// Length of a multiplier step, in (0, 1].
  double tau = 1;
  /// Whether most passes leave out the resting pairs of binary variables (active_pairs.h).
  Switch shrinking = Switch::kAuto;
};

std::unique_ptr<Learner> MakeAugmentedLagrangianLearner(const Problem& problem,
                                                        const TrainOptions& options);

extern const LearnerRecord kAugmentedLagrangianLearner;

}  // namespace slackline::internal
