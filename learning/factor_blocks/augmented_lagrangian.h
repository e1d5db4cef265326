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
#include <string>

#include <slackline/learning/factor_blocks/penalty_control.h>
#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/state_archive.h>

namespace slackline::internal {

struct AugmentedLagrangianOptions {
  /// Length of a multiplier step, in (0, 1].
  double tau = 1;
  /// Whether most passes leave out the resting pairs of binary variables (active_pairs.h).
  Switch shrinking = Switch::kAuto;
};

/// ρ, τ and the visits per update of a run, which follow its evaluations.
class LagrangianControl {
 public:
  /// penalty_scale: s = λM/R²; num_examples: M. In shards those of all of them.
  LagrangianControl(const TrainOptions& options, double penalty_scale, Index num_examples);

  const PenaltySettings& settings() const { return control_.settings(); }
  /// As CheckListener::Adapt, after `pass` passes.
  std::string Adapt(Index pass, const Evaluation& evaluation);
  /// Starts again with the s of another λ: the balanced ρ, as a multiple of s, is a better start
  /// than the default.
  void ChangeScale(double penalty_scale);

  void Archive(StateArchive* archive);

  /// κ of the proximal centre, as a multiple of λ.
  static constexpr double kCentre = 10;

 private:
  PenaltySettings First() const;

  TrainOptions options_;
  double scale_;
  Index num_examples_;
  PenaltyControl control_;
  double best_primal_ = kInfinity;
};

std::unique_ptr<Learner> MakeAugmentedLagrangianLearner(const Problem& problem,
                                                        const TrainOptions& options);

extern const LearnerRecord kAugmentedLagrangianLearner;

}  // namespace slackline::internal
