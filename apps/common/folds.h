// SPDX-License-Identifier: BSD-3-Clause
//
// The folds of cross-validation, and statistics over them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/termination.h>

namespace slackline::internal {

/// The examples of each fold, in ascending order.
using Folds = std::vector<std::vector<Index>>;

/// Deals the examples to the folds one by one, in random order. Requires 2 ≤ folds ≤ examples.
Folds MakeFolds(Index examples, Index folds, std::uint64_t seed);

/// One of several folds: its examples are held out, and training uses the examples of the other
/// folds. `folds` must outlive this object.
class Fold {
 public:
  Fold(const Folds& folds, std::size_t number) : folds_(folds), number_(number) {}

  const std::vector<Index>& held_out() const { return folds_[number_]; }
  /// The examples of the other folds: in ascending order, or fold by fold.
  std::vector<Index> Others() const;
  std::vector<Index> OthersByFold() const;
  /// "fold 1 of 5" for fold number 0.
  std::string name() const;

 private:
  const Folds& folds_;
  std::size_t number_;
};

/// The names of an application's metric.
struct FigureName {
  std::string_view name;   ///< on the command line
  std::string_view key;    ///< in JSON
  std::string_view title;  ///< in tables
  bool smaller_is_better = false;
};

/// Mean over the folds and their standard deviation (divisor K − 1).
struct Spread {
  double mean = 0;
  double deviation = 0;
};
Spread SpreadOf(std::span<const double> values);

/// Sums over the trainings in all folds with one λ.
struct FoldTotals {
  Offset passes = 0;
  double seconds = 0;
  Index converged = 0;

  void Add(const ProgressRecord& last, Termination termination);
};

/// Index of the largest mean; among equals, the first. Requires at least one.
std::size_t BestMean(std::span<const double> means);

}  // namespace slackline::internal
