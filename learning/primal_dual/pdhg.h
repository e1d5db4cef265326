// SPDX-License-Identifier: BSD-3-Clause
//
// The whole LP-relaxed training problem as one saddle point, by the primal-dual hybrid gradient
// method. For graphs with cycles, where labellings are not corners enough and an LP
// solver takes too long.
//
//   min over w, δ   max over μ_i in simplices, μ_c ≥ 0
//     λM/2 ‖w‖² + Σ_m [Δ_m·μ_m + w·(φ_m(μ_m) − φ_m(y^m)) + Σ_ci δ_ci·(μ_i − A_ci μ_c)]
//
// Sources: Chambolle and Pock, "A first-order primal-dual algorithm for convex problems with
// applications to imaging", JMIV 2011; Pock and Chambolle, "Diagonal preconditioning for first
// order primal-dual algorithms in convex optimization", ICCV 2011 (steps from the norms of rows and
// columns, α = 1); Condat, JOTA 2013 (over-relaxation). No step solves a part of the saddle point
// exactly, so there are no calls of oracles or quadratic programs. An iteration is two
// sweeps over the features and one over the tables of all examples (pdhg_blocks.h),
//   μ⁺ = [μ + σ (Δ + w·φ + δ)]₊,   δ⁺ = δ − τ (μ̄_i − A_ci μ̄_c),
//   w⁺ = (w − τ_w Σ_m (φ_m(μ̄) − φ_m(y^m))) / (1 + τ_w λM),   μ̄ = 2μ⁺ − μ,
// and the new point is old + 1.9 (this − old). The ratio of σ and τ follows the scale of the
// losses: probabilities have order 1, and scores the order of the loss of a variable.
//
// Certificate. Any w and δ give an upper bound: Σ_a max of the reparametrised scores. It is
// computed at the newest w and at the w of the best dual point. Any μ, repaired to a point of the
// local polytope (each factor alone), gives a lower bound; the best mixture of the points of the
// last checks counts (step/dual_mixture.h).
//
// Memory: 8 bytes for each joint state of each factor of all examples, and for each message. An
// iteration reads and writes all of it.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/dual_points.h>

namespace slackline::internal {

/// The part of the learner that other learners use.
class PdhgLearnerBase : public Learner {
 public:
  /// Adds a dual point; the best mixture of all added points gives the lower bound.
  virtual void AddPoint(DualPoints points) = 0;
};

/// The saddle point alone, without labellings before it.
std::unique_ptr<PdhgLearnerBase> MakeSaddleLearner(const Problem& problem,
                                                   const TrainOptions& options);

}  // namespace slackline::internal
