// SPDX-License-Identifier: BSD-3-Clause
//
// Block-coordinate descent on the messages of the dual bound
//   B(δ) = Σ_i max_s θ̂_i(s) + Σ_c max_y θ̂_c(y),
//   θ̂_i = θ_i + Σ_{c∋i} δ_ci,   θ̂_c = θ_c − Σ_{i∈c} A_ciᵀ δ_ci
// (docs/notation.md, section 2) and of its smooth form B_ε, in which ε log Σ exp(·/ε) replaces
// every max.
//
// Source: the star update of Sontag, Globerson, Jaakkola, "Introduction to dual decomposition for
// inference" (2011), and its soft form, Hazan, Shashua, "Norm-product belief propagation" (2010)
// with all counting numbers 1. The update of variable i changes all of its messages at once:
//   δ_ci ← δ_ci + m_ci − t,   t = (θ̂_i + Σ_c m_ci) / (1 + N_i),
//   m_ci(s) = max of θ̂_c over the states that agree with s,
// after which θ̂_i = t and every factor has the max-marginals t over i. This minimises B over these
// messages; with soft maxima (m_ci by ε log Σ exp) it minimises B_ε, up to constants. Hence B or
// B_ε never rises. Fixed points with maxima need not be minima of B; fixed points with soft maxima
// are minima of B_ε, and B ≤ B_ε ≤ B + ε Σ_a log K_a.
//
//   symbol   here            shape
//   θ̂        reparametrised  graph.total_states()
//   δ        messages        graph.total_messages()
//   ε        temperature     ≥ 0; 0: the exact maximum
#pragma once

#include <span>
#include <vector>

#include <slackline/core/factor_graph.h>

namespace slackline::internal {

/// Replaces the scores θ by θ̂. O(Σ_c axes · states).
void Reparametrise(const FactorGraph& graph, std::span<const double> messages,
                   std::span<double> scores);

/// Makes a star update on variable i. `work`, costs and requirements as in StarSweep, for the
/// factors of i.
void StarUpdate(const FactorGraph& graph, Index i, double temperature,
                std::span<double> reparametrised, std::span<double> messages,
                std::vector<double>* work);

/// Makes one star update on every variable in turn. `work`: work space that the caller keeps
/// between calls, so that no call allocates. O(Σ_c axes · states), with as many exponentials if
/// temperature > 0. Requires finite scores. Ignores global factors (RequireTablesOnly).
void StarSweep(const FactorGraph& graph, double temperature, std::span<double> reparametrised,
               std::span<double> messages, std::vector<double>* work);

/// B(δ), or B_ε(δ) for temperature > 0.
double SumOfMaxima(const FactorGraph& graph, double temperature,
                   std::span<const double> reparametrised);

/// The gradient of B_ε in θ: for every part its soft maximum, a distribution over its states; for
/// temperature 0 the indicator of its lowest best state.
void PartBeliefs(const FactorGraph& graph, double temperature,
                 std::span<const double> reparametrised, std::span<double> marginals);

}  // namespace slackline::internal
