// SPDX-License-Identifier: BSD-3-Clause
//
// Learners `cutting-plane-1` and `bmrm`: cutting planes of the whole training set. A pass makes one
// plane from the oracle's answers for all examples at some weights, and solves the quadratic
// program over all planes. The learners differ in where the plane is taken, and in whether planes
// of cached labellings precede it.
//
// `cutting-plane-1`: cutting planes with one slack variable for the whole training set. Source:
// Joachims, Finley, Yu, "Cutting-plane training of structural SVMs", Machine Learning 77, 2009:
// Algorithm 3 (margin rescaling) and Algorithm 4 (slack rescaling, slack_oracle.h), with the
// constraint cache of section 5. As in the authors' program, planes without weight for many rounds
// are dropped. Without the cache the passes are those of fully corrective batch Frank-Wolfe
// (Lacoste-Julien et al., ICML 2013, section 4), and of `bmrm` without its line search.
//
// `bmrm`: the bundle method for regularised risk minimisation, with planes taken by a line search.
// Sources: Teo, Vishwanathan, Smola, Le, "Bundle methods for regularized risk minimization", JMLR
// 11, 2010, Algorithm 1; Franc, Sonnenburg, "Optimized cutting plane algorithm for support vector
// machines", ICML 2008, for where planes are taken. A plane is taken at w_b + ((1 − μ) k + μ) (w_t
// − w_b), μ = 0.1, with w_b the best weights so far, w_t the minimum of the model, and k in [0, 1]
// the best point of the line between them. Deviation: for structured labels the objective along a
// line has no closed form, so that k is the best point for the cached labellings, which takes no
// oracle calls. A plane that does not cut off w_t is followed by a plane at w_t, as the convergence
// of bundle methods requires. With `--line-search off` planes are taken at w_t, which is BMRM
// itself, and on this objective the same as cutting-plane-1 without its cache, plane by plane: both
// minimise λ/2 ‖w‖² + max_k (b_k − w·a_k) with the same planes. The line search costs two more
// sweeps over the inputs, and a pass over all cached labellings.
//
// Axes: blocks = all examples at once · oracle = any, over examples · step = fully corrective over
// all planes · order = none: the result does not depend on the seed.
//
//   symbol                   here        shape
//   w of the program's end   planes_     num_weights
//   best w so far            best_       num_weights; best by the risk at the oracle's corners
//   a_k, b_k, α_k            planes_     plane_bundle.h
//   s_m^k                    kept_       plane_labellings.h
//
// Certificate. Primal: bounds of the oracle at the best weights at which a plane was taken. Dual:
// value of the program's point, which is the value of the dual point Σ_k α_k s_m^k of every
// example, feasible by construction. Cost of a pass: M oracle calls, two sweeps over the inputs, an
// inner product with every plane, and the program. A plane of cached labellings costs the same
// without the oracle calls. Memory: num_weights numbers per plane where its features are dense.
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

/// Options of `cutting-plane-1`.
struct CuttingPlane1Options {
  /// Whether planes of cached labellings are added, while they are violated enough, before the
  /// oracle is called.
  Switch constraint_cache = Switch::kAuto;
};
/// Options of `bmrm`.
struct BundleOptions {
  /// Whether the next plane is taken near the best point on the line from the best weights to the
  /// newest weights, instead of at the newest weights.
  Switch line_search = Switch::kAuto;
};

/// A learner on planes that can continue from the active sets of another learner.
class JointPlaneLearnerBase : public ExampleBlockLearner {
 public:
  /// Adds the labellings in the active sets of another learner of the same problem, and makes their
  /// plane at its weights. gap ≥ 0: an estimate of the gap, which stands for the violation of the
  /// oracle's last plane when the next pass decides whether planes of cached labellings are worth
  /// adding.
  virtual void TakeOver(std::span<const ActiveSet> sets, std::span<const double> weights,
                        double gap) = 0;
  /// The largest lower bound so far.
  virtual double dual() const = 0;
  /// Makes the next pass add no more planes of cached labellings once it has touched `entries`
  /// array entries.
  virtual void LimitPass(std::int64_t entries) = 0;

 protected:
  using ExampleBlockLearner::ExampleBlockLearner;
};

/// options.learner: kCuttingPlane1 or kBundle. Throws DataError when the oracle of the options, or
/// slack rescaling, does not apply.
std::unique_ptr<JointPlaneLearnerBase> MakeJointPlaneLearner(const Problem& problem,
                                                             const TrainOptions& options);

extern const LearnerRecord kCuttingPlane1Learner, kBundleLearner;

}  // namespace slackline::internal
