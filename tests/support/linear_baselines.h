// SPDX-License-Identifier: BSD-3-Clause
//
// Methods that Prox-SDCA is compared with, on min_w (1/n) Σ φ_i(x_iᵀw) + λ/2 ‖w‖² + σ ‖w‖₁ with
// smooth losses. They have no certificate: callers evaluate the weights.
//
//   Fista       Beck, Teboulle 2009, with step 1/L, L = λ_max(XᵀX)/(nγ), found by 30 power
//               iterations; restarts: the momentum is forgotten where it points uphill (O'Donoghue,
//               Candès 2015)
//   ProximalSgd Duchi, Singer 2009 (FOBOS): w ← prox_η(w − η x_i φ_i'), η_t = η₀/(1 + η₀λt), and
//               η₀/√t for λ = 0
//   Rda         Xiao 2010: w = argmin ḡ·w + λ/2 ‖w‖² + σ‖w‖₁ + κ/(2t) ‖w‖², and κ/(2√t) ‖w‖² for
//               λ = 0
//
// A pass of Fista is one gradient; one of the others n steps.
#pragma once

#include <memory>
#include <vector>

#include <slackline/core/random.h>
#include <slackline/learning/standalone/linear_learner.h>

namespace slackline::internal::test {

/// A method that goes through the data. `problem` must have the regulariser kL2, with λ = 0 for
/// problem (6) of linear_learner.h, and outlive it.
class LinearBaseline {
 public:
  virtual ~LinearBaseline() = default;
  virtual void Pass() = 0;
  virtual const std::vector<double>& weights() = 0;
};

std::unique_ptr<LinearBaseline> MakeFista(const LinearProblem& problem, bool restarts);
/// first_step: η₀.
std::unique_ptr<LinearBaseline> MakeProximalSgd(const LinearProblem& problem, double first_step,
                                                std::uint64_t seed);
/// strength: κ ≥ 0.
std::unique_ptr<LinearBaseline> MakeRda(const LinearProblem& problem, double strength,
                                        std::uint64_t seed);

/// The objective.
double LinearObjective(const LinearProblem& problem, const std::vector<double>& weights);

}  // namespace slackline::internal::test
