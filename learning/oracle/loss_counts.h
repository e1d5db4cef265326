// SPDX-License-Identifier: BSD-3-Clause
//
// Losses as functions of two counts, for oracles that maximise for every value of the loss:
//
//   Δ(s) = values[h, f],   h = Σ_i a_i(s_i),   f = Σ_i b_i(s_i).
//
// | losses                                       | counts                                        |
// |----------------------------------------------|-----------------------------------------------|
// | Hamming: `count`, `mean`                     | f = number of wrong labels                    |
// | multiples of one unit, such as costs 1, 2, 3 | f = sum of the multiples                      |
// | two different values > 0, such as weights of | h = labels with one of them, f = labels with  |
// | missed and of false labels                   | the other                                     |
// | 1 − F1                                       | h = hits, f = false alarms                    |
#pragma once

#include <vector>

#include <slackline/inference/count_forest.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

struct LossCounts {
  std::vector<StateCounts> states;  ///< a_i and b_i, for the states of all variables in turn
  StateCounts largest;
  std::vector<double> values;  ///< Δ at index h · (largest.second + 1) + f
};

/// Largest number of values that a loss may have.
inline constexpr Offset kMostLossValues = 1 << 16;

/// Writes the counts of example m. Returns false, with *counts undefined, if its loss has none of
/// the forms above, or more than kMostLossValues values. O(states).
bool CountLosses(const Problem& problem, Index m, LossCounts* counts);

}  // namespace slackline::internal
