// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `cutting-plane-1` and `bmrm`: planes of the whole training set. A pass is one plane by
// the oracle for all examples at some weights, and the quadratic program over all planes; what
// differs is where the plane is taken, and whether planes of kept labellings come before it.
//
// `cutting-plane-1`: cutting planes with one slack variable for the whole training set. Source:
// Joachims, Finley, Yu, "Cutting-plane training of structural SVMs", Machine Learning 77, 2009:
// Algorithm 3 (margin rescaling) and Algorithm 4 (slack rescaling, slack_oracle.h), with the
// constraint cache of section 5. Pruning as in their program: planes without weight for many rounds
// go. Without the cache the passes are those of fully corrective batch Frank-Wolfe (Lacoste-Julien
// et al., ICML 2013, section 4), and of `bmrm` without its line search.
//
// `bmrm`: the bundle method for regularised risk minimisation, with planes taken by a line search.
// Sources: Teo, Vishwanathan, Smola, Le, "Bundle methods for regularized risk minimization", JMLR
// 11, 2010, Algorithm 1; Franc, Sonnenburg, "Optimized cutting plane algorithm for support vector
// machines", ICML 2008, for where planes are taken. A plane is taken at w_b + ((1 − μ) k + μ) (w_t
// − w_b), μ = 0.1, with w_b the best weights so far, w_t the minimum of the model, and k in [0, 1]
// the best point of the line between them. Deviation: for labellings there is no closed form of the
// objective along a line; k is the best point for the labellings of the kept planes, which takes no
// oracle calls. A plane that says nothing about w_t is followed by one at w_t, as the convergence
// of bundle methods asks for. With `--line-search off` planes are taken at w_t, which is BMRM
// itself. On this objective that is cutting-plane-1 without its cache, plane by plane: both
// minimise λ/2 ‖w‖² + max_k (b_k − w·a_k) with the same planes. The line search costs two more
// sweeps over the inputs, and a pass over all kept labellings.
//
// Axes: blocks = all examples at once · oracle = any, over examples · step = fully corrective over
// kept planes · order = none: the result does not depend on the seed.
//
//   symbol                   here        shape
//   w of the program's end   planes_     num_weights
//   best w so far            best_       num_weights, by the risk that the oracle's corners showed
//   a_k, b_k, α_k            planes_     plane_bundle.h
//   s_m^k                    kept_       plane_labellings.h
//
// Certificate: primal by bounds of the oracle at the best weights that a plane was taken at; dual =
// value of the program's point, which is that of the dual point Σ_k α_k s_m^k of every example:
// feasible by construction. Cost of a pass: M oracle calls, two sweeps over the inputs, an inner
// product with every plane, the program; every plane by kept labellings the same but for the oracle
// calls. Memory: a plane has as many numbers as there are weights where its features are dense.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <slackline/learning/example_blocks/example_block_learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

/// Of `cutting-plane-1`.
struct CuttingPlane1Options {
  /// Whether planes of kept labellings are added as long as they are violated enough, before the
  /// oracle is asked.
  Switch constraint_cache = Switch::kAuto;
};
/// Of `bmrm`.
struct BundleOptions {
  /// Whether the next plane is taken near the best point of the line from the best weights so far
  /// (else at the newest).
  Switch line_search = Switch::kAuto;
};

/// What another learner of the same problem may hand over.
class JointPlaneLearnerBase : public ExampleBlockLearner {
 public:
  /// Takes over the labellings that another learner kept, and makes their plane at its weights.
  /// gap: what is known of the objective's gap, ≥ 0: planes of kept labellings are worth adding
  /// while they are violated by a good share of it.
  virtual void TakeOver(std::span<const ActiveSet> sets, std::span<const double> weights,
                        double gap) = 0;
  /// The largest lower bound so far.
  virtual double dual() const = 0;
  /// The next pass makes no plane of kept labellings after that much work.
  virtual void LimitPass(std::int64_t entries) = 0;

 protected:
  using ExampleBlockLearner::ExampleBlockLearner;
};

/// options.learner: kCuttingPlane1 or kBundle. Throws DataError when the oracle of the options, or
/// slack rescaling, does not apply.
std::unique_ptr<JointPlaneLearnerBase> MakeJointPlaneLearner(const Problem& problem,
                                                             const TrainOptions& options);

/// `cutting-plane-1` and `bmrm`.
extern const LearnerRecord kCuttingPlane1Learner, kBundleLearner;

}  // namespace slackline::internal
