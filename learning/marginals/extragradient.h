// SPDX-License-Identifier: BSD-3-Clause
//
// Learner `extragradient`: dual extragradient on the saddle-point form of the objective.
//
// Sources: Taskar, Lacoste-Julien, Jordan, "Structured prediction, dual extragradient and Bregman
// projections", JMLR 7 (2006); Nesterov, "Dual extrapolation and its applications to solving
// variational inequalities and related problems", Math. Program. 109 (2007). A row of Table 1 of
// Lacoste-Julien and others, ICML 2013. The derivation for the objective of this project is in
// docs/notation.md, section 11. Axes: blocks = all examples at once, weights as well · oracle =
// sum-product · step = extragradient.
//
//   min_w max_α  λ/2 ‖w‖² + (1/M) Σ_m H_m(α_m; w),   F(w, α) = (λ (w − Ψα), −H_m(·; w)/M)
//
// The paper bounds ‖w‖ where this objective has λ, and offers two projections: a Euclidean
// projection on marginals (a min-cost quadratic flow for matchings and graph cuts) and a Bregman
// projection. Here the Bregman projection by entropy is used: on forests it is sum-product, exact
// for any number of states and any order of factors, while the Euclidean projection would be a
// quadratic program for every example. With d(w, α) = κ/2 ‖w − w₀‖² + D(α), D the relative entropy
// to the uniform distribution, and s the sum of all −β F(u):
//   v = argmax s·z − d(z),   u = the prox step from v by −β F(v),   s ← s − β F(u),   result: a
//     weighted mean of all u.
// Since H_m(·; w) is affine in w, every α is a softmax at scores c Δ_m − W·ψ_m, so that s needs one
// number and one vector of weights for all examples together (the "memory-efficient" form of
// section 5 of the paper).
//
//   symbol        here               shape
//   s             loss_scale_, sum_  c and W of v's α: a number, num_weights
//   v_w           v_w_               num_weights;  u_w = v_w − (βλ/κ)(v_w − Ψα_v),  v_w ← v_w −
//     (βλ/κ)(u_w − Ψα_u)
//   α_v, α_u      v_, u_             dual_points.h, num_weights
//   mean of u     mean_w_, mean_     num_weights, dual_points.h; with weights β c, so that early
//                                    iterates count less: on small problems this takes a tenth of
//                                    the passes of the sources' weights β, but only for these is
//                                    the rate O(1/k) proved
//   β             step_              halved until the step satisfies the inequality of its analysis
//                                    (MakeStep), then × 1.1
//   κ             kappa_             λ max(1, mean log |Y_m| / P(0)), so that both parts of d are
//                                    of the same size at the optimum
//
// Cost of a trial: 2 M calls of sum-product, four sweeps over the inputs. Memory: four dual points
// per example.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Throws DataError on graphs with cycles or global factors.
std::unique_ptr<Learner> MakeExtragradientLearner(const Problem& problem,
                                                  const TrainOptions& options);

extern const LearnerRecord kExtragradientLearner;

}  // namespace slackline::internal
