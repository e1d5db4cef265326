// SPDX-License-Identifier: BSD-3-Clause
//
// The loops of PdhgBlocks over a block of eight factors, whose numbers stand side by side.
#pragma once

#include <slackline/core/types.h>

namespace slackline::internal {

/// Adding and then subtracting it makes numbers far below it 0 and leaves others as they are.
inline constexpr double kPdhgFlush = 1e-100;

/// A block and its steps. Rows are the states of the variables of a factor's scope, one variable
/// after the other.
struct PdhgBlock {
  Index states = 0;                ///< joint states
  Index order = 0;                 ///< variables of the scope
  Index rows = 0;                  ///< Σ of their numbers of states
  const Index* row_of = nullptr;   ///< states × order
  const double* scores = nullptr;  ///< states numbers, or states × 8 if the scores are own
  bool own_scores = false;
  double* entries = nullptr;          ///< μ_c: states × 8
  const double* steps = nullptr;      ///< σ of the factors: 8
  const double* row_steps = nullptr;  ///< τ of the messages: one for each row
  const double* mirrored = nullptr;   ///< 2μ_i⁺ − μ_i: rows × 8
  double relaxation = 1;
};

/// Steps of all entries and messages (δ_ci: rows × 8). sums: states × 8, to which 2μ_c⁺ − μ_c is
/// added; `rows` is work space of rows × 8.
void PdhgStep(const PdhgBlock& block, double* messages, double* sums, double* rows);

/// out[l] = max over joint states of the scores minus messages, for the factors of the block.
void PdhgMaxima(const PdhgBlock& block, const double* messages, double* out);

/// Changes entries of pairs (order 2, states_first × states_second, × 8) to ones with the given
/// marginals (rows × 8, ≥ 0 with sums 1): Algorithm 2 of Altschuler, Weed and Rigollet (2017).
/// `rows` is work space of 2 × rows × 8.
void RepairPairs(Index states_first, Index states_second, const double* marginals, double* entries,
                 double* rows);

}  // namespace slackline::internal
