// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `soft`: the penalized problem F_ρ by factor blocks.
//
// Source: Meshi, Srebro, Hazan, AISTATS 2015, Algorithm 1; ρ schedule: section 7, first extension.
// Axes: blocks = factors and variables · oracle = table argmax · step = pairwise or Frank-Wolfe ·
// order = example or uniform. With --smoothing γ every maximum is smoothed (section 7, third
// extension): max over the simplex of θ̂·p − γ/2 ‖p‖². This adds −(γ/2M) ‖μ_a‖² to the dual for
// every part, and enters the gradient and the length of each step. The learner stops on the gap of
// the penalized problem, and also reports the certificate of the relaxed problem.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct SoftOptions {
  /// ρ falls geometrically from PenaltyOptions::rho to rho_final over the first rho_passes passes;
  /// 0 = ρ does not change.
  double rho_final = 0;
  Index rho_passes = 100;
};

/// ρ of the passes of a run.
class SoftPenalty {
 public:
  /// num_examples: M, in shards that of all of them.
  SoftPenalty(const TrainOptions& options, Index num_examples);
  /// Of pass number `pass`, counted from 0: geometric from rho to rho_final over rho_passes passes.
  double RhoAt(Index pass) const;
  /// Whether ρ still changes after so many passes.
  bool provisional(Index passes) const {
    return schedule_.rho_final > 0 && passes < schedule_.rho_passes;
  }

  /// κ of the proximal centre, as a multiple of λ; at most the bound of FirstKappa
  /// (docs/notebook/factor_blocks.md has figures for 10 and 100).
  static constexpr double kCentre = 100;

 private:
  double first_;
  double scale_;
  SoftOptions schedule_;
};

/// Requires a problem that MakeLearner has checked (support_table.h): with --smoothing, among
/// others, one without global factors.
std::unique_ptr<Learner> MakeSoftLearner(const Problem& problem, const TrainOptions& options);

extern const LearnerRecord kSoftLearner;

}  // namespace slackline::internal
