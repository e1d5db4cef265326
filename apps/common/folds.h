// SPDX-License-Identifier: BSD-3-Clause
//
// What cross-validation of every application has in common: the folds, and figures over them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/termination.h>

namespace slackline::internal {

/// The examples of each fold: a random order, dealt out one by one. Requires 2 ≤ folds ≤ examples.
std::vector<std::vector<Index>> MakeFolds(Index examples, Index folds, std::uint64_t seed);

/// "fold 1 of 5" for fold number 0.
std::string FoldName(std::size_t number, std::size_t count);
/// The examples of all folds but one, fold after fold.
std::vector<Index> ExamplesOutside(const std::vector<std::vector<Index>>& folds,
                                   std::size_t number);

/// Mean over the folds, and their standard deviation (with K − 1).
struct Spread {
  double mean = 0;
  double deviation = 0;
};
Spread SpreadOf(std::span<const double> values);

/// Sums over the trainings of all folds with one λ.
struct FoldTotals {
  Offset passes = 0;
  double seconds = 0;
  Index converged = 0;

  void Add(const ProgressRecord& last, Termination termination);
};

/// Number of the largest mean; of equal ones, the first. Requires one at least.
std::size_t BestMean(std::span<const double> means);

}  // namespace slackline::internal
