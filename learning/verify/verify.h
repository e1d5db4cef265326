// SPDX-License-Identifier: BSD-3-Clause
//
// Checks a certificate independently of the code that made it: features are scored in a plain loop,
// every example is maximised by another solver than in training, and the dual objective is summed
// again from the learner's dual point.
//
//   primal   λ/2 ‖w‖² + (1/M) Σ_m H_m(w). H_m lies between the value of a point whose feasibility
//            is checked and the solver's certified bound. A claim below the former is wrong,
//            whatever the solver does.
//   dual     (1/M) Σ_m Δ_m·μ_m − λ/2 ‖w(μ)‖² with w(μ) = (1/(λM)) Σ_m [φ_m(y^m) − φ_m(μ_m)], from
//            φ_m(μ_m) and Δ_m·μ_m of every example. Where φ determines the marginals (binary
//            variables and pairs with weights of their own, as in multi-label models), the
//            feasibility of μ_m is checked entry by entry. For all structures it is checked in the
//            direction of the weights: no point of the domain has Δ_m·μ_m − w·ψ_m(μ_m) above
//            H_m(w).
//
// Examples with global factors are maximised by dual decomposition (global_decoder.h), which gives
// a labelling as lower bound and a certified upper bound that may differ. Where nothing couples the
// global factors (global_solver.h), up to 4096 labellings are enumerated; with more labellings the
// factors' own oracles are called again, and their answers are checked against the features of
// their states.
//
// Other objectives are checked by methods of their own (verify_hinge.h, verify_space.h): slack
// rescaling is enumerated by its definition, or bounded by a solver at several multipliers of the
// loss; a smoothed hinge is maximised by Frank-Wolfe steps over the solver's domain; and kernelized
// weights and dual points are scored with the kernel itself, in two passes over the N² kernel
// values.
//
// The lower bound of soft and al belongs to a mixture of the points of several checks. The learner
// keeps these points after DualPointSource::KeepDualPoint. If KeepDualPoint was not called before
// the run, the bound of the last point is reported beside the claim, and the claim is compared with
// the recomputed primal only.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>

namespace slackline::internal {

enum class VerifyOutcome {
  kHolds,
  kFails,        ///< one of the claimed figures is wrong
  kInterrupted,  ///< not all examples were checked
};

struct Verification {
  VerifyOutcome outcome = VerifyOutcome::kInterrupted;
  double primal = kNone;  ///< certified upper bound at the weights
  /// Objective at feasible points of the hinges; equal to `primal` if the solvers are exact.
  double primal_value = kNone;
  double dual = kNone;  ///< bound of the learner's dual point; NaN without a dual point
  /// True if the claimed lower bound is at most the bound of the learner's dual point. If false, it
  /// is only known that the claim does not exceed `primal`.
  bool dual_proved = false;
  double seconds = 0;
  std::string solvers;  ///< names of the solvers, such as "roof" or "tree,lp"
  std::string message;  ///< one sentence with all figures
};

struct VerifyOptions {
  const std::atomic<int>* interrupt = nullptr;  ///< a value other than 0 ends the verification
  std::function<void(Index done)> progress;     ///< after every example; may be empty
};

/// Verifies what `claim` says about the weights: the primal, the dual, and the problem they belong
/// to. trained: the run's options, with objective and oracle. point: the learner as the run left
/// it, for its dual point (DualPointSource::KeepDualPoint before the run); may be null.
///
/// With an l1 term (TrainOptions::l1) the objective includes the term, and the bound of the dual
/// point is computed with a soft threshold (prox_sdca_learner.h).
///
/// A claim holds within 1e-7 of the objective plus 1e-9 of its value at w = 0. A claimed primal
/// above the recomputed primal is still an upper bound; where the oracle of training was exact, the
/// two must agree within another 1e-7 of the value at w = 0. O(M) solver calls on one thread, up to
/// 200 times as many for a smoothed hinge.
///
/// With several ranks, all of them call this function, each with the problem of its own examples
/// and the same weights and claim, and all get the same result (but for the seconds).
Verification VerifyCertificate(const Problem& problem, std::span<const double> weights,
                               const ProgressRecord& claim, const TrainOptions& trained,
                               const DualPointSource* point, const VerifyOptions& options = {});

/// The solver that checks the results of solver `trained` on a graph (kAuto: the automatic choice;
/// kMessages for learners without an oracle). Where affordable, it is another solver with the same
/// domain, or with a larger domain and the same maximum.
SolverKind VerifyingSolver(const FactorGraph& graph, SolverKind trained, CertifiedProblem problem);

/// The same for a structure. On forests with forbidden states the solver is enumeration for up to
/// 4096 labellings, else dynamic programming on the scores of every example. Training on forests of
/// pairs makes the same sweeps, but with other tables and inner loops (inference/pair_forest.h).
SolverKind VerifyingSolver(const Structure& structure, SolverKind trained,
                           CertifiedProblem problem);

}  // namespace slackline::internal
