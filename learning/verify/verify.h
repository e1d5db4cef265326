// SPDX-License-Identifier: BSD-3-Clause
//
// Checks a certificate by other means than those that made it: features are scored in a plain loop,
// every example is maximised by another solver than in training, and the dual objective is summed
// again from the learner's dual point.
//
//   primal   λ/2 ‖w‖² + (1/M) Σ_m H_m(w). What H_m is lies between the value of a point that is
//            seen to be feasible and the solver's certified bound: whatever the solver does, a
//            claim below the first is wrong.
//   dual     (1/M) Σ_m Δ_m·μ_m − λ/2 ‖w(μ)‖² with w(μ) = (1/(λM)) Σ_m [φ_m(y^m) − φ_m(μ_m)], from
//            φ_m(μ_m) and Δ_m·μ_m of every example. That μ_m is feasible is checked entry by entry
//            where φ tells the marginals (binary variables and pairs with weights of their own, as
//            in multi-label models), and for all structures in the direction of the weights: no
//            point of the domain has Δ_m·μ_m − w·ψ_m(μ_m) above H_m(w).
//
// Examples with global factors are maximised by dual decomposition (global_decoder.h): a labelling
// below, a certified bound above, with some room between. Where nothing couples them
// (global_solver.h) up to 4096 labellings are enumerated, and with more the factors' own oracles
// are asked again, whose answers are checked against the features of their states.
//
// Every objective has means of its own (verify_hinge.h, verify_space.h): slack rescaling is
// enumerated by its definition, a smoothed hinge is maximised by Frank-Wolfe steps over the
// solver's domain, and kernelized weights and dual points are scored on the kernel itself, with two
// passes over the N² kernel values.
//
// The lower bound of soft and al is that of a mixture of the points of several checks, which
// DualPointSource::KeepDualPoint keeps. Where that was not asked for from the beginning, the last
// point's own bound is reported beside the claim, and the claim is held against the recomputed
// primal.
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
  kInterrupted,  ///< not all examples were looked at
};

struct Verification {
  VerifyOutcome outcome = VerifyOutcome::kInterrupted;
  double primal = kNone;  ///< certified upper bound at the weights
  /// what feasible points reach: the same, but for solvers that are not exact
  double primal_value = kNone;
  double dual = kNone;  ///< of the learner's point; NaN without one
  /// The claimed lower bound is that of the learner's point, or smaller. Else it is only known not
  /// to lie above `primal`.
  bool dual_proved = false;
  double seconds = 0;
  std::string solvers;  ///< "roof", "tree, lp", …
  std::string message;  ///< one sentence with all figures
};

struct VerifyOptions {
  const std::atomic<int>* interrupt = nullptr;  ///< a value other than 0 ends the verification
  std::function<void(Index done)> progress;     ///< after every example; may be empty
};

/// Verifies what `claim` says about the weights (primal, dual and which problem they are about).
/// trained: the options of the run, for what its oracle was. learner: as it was left by the run,
/// for its dual point (DualPointSource::KeepDualPoint before the run); may be null.
///
/// With an l1 term (TrainOptions::l1) the objective is that with the term, and the dual point's
/// bound that of its soft threshold (prox_sdca_learner.h).
///
/// Claims hold within 1e-7 of the objective and 1e-9 of its value at w = 0. A claimed primal above
/// the recomputed one is still a bound; where the oracle of training was exact it has to be the
/// same, within 1e-7 of the value at w = 0. O(M) solver calls on one thread, up to 200 times as
/// many for a smoothed hinge.
Verification VerifyCertificate(const Problem& problem, std::span<const double> weights,
                               const ProgressRecord& claim, const TrainOptions& trained,
                               const DualPointSource* point, const VerifyOptions& options = {});

/// The solver that checks what `trained` did on a graph (kAuto: the automatic choice; kMessages for
/// learners without an oracle): another one with the same domain, or a larger one with the same
/// maximum, where one is affordable.
SolverKind VerifyingSolver(const FactorGraph& graph, SolverKind trained, CertifiedProblem problem);

/// The same for a structure. With forbidden states there are few solvers to choose from:
/// enumeration of up to 4096 labellings; beyond, dynamic programming on forests (over the scores of
/// every example; training on forests of pairs has other tables and inner loops,
/// inference/pair_forest.h, in the same sweeps), else branch and bound.
SolverKind VerifyingSolver(const Structure& structure, SolverKind trained,
                           CertifiedProblem problem);

}  // namespace slackline::internal
