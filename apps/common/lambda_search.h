// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-validation of all applications: which λ, and which of several candidates (graphs of labels,
// losses), predicts best what training has not seen.
//
// Every candidate is tried in every fold. In a fold, the values of λ are trained from the largest
// to the smallest, each from the solution of the one before. Candidates in folds are independent of
// each other and run side by side; the result does not depend on how many do.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include <slackline/apps/common/folds.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/termination.h>

namespace slackline::internal {

/// One training, and its figures on the examples that the fold holds out.
struct TrialResult {
  std::vector<double> figures;
  ProgressRecord last;
  Termination termination = Termination::kMaxPasses;
};

/// One candidate in one fold.
class FoldTrial {
 public:
  virtual ~FoldTrial() = default;
  /// Trains with λ, from the solution of the call before, and tries the model. After an interrupt
  /// the figures are not looked at.
  virtual TrialResult Run(double lambda, const std::atomic<int>* interrupt) = 0;
};

/// What has been done. Seconds are elapsed ones.
struct SearchProgress {
  Index done = 0;
  Index total = 0;  ///< trainings known to come, the done ones included
  double seconds_left = 0;
};

struct LambdaSearchTask {
  std::vector<double> lambdas;  ///< falling, at least one
  std::size_t num_candidates = 1;
  Index num_folds = 2;
  /// Values of λ beyond the ends, a factor of √10 apart, are tried while the best one lies at an
  /// end.
  bool extend = false;
  /// The figure to choose by.
  std::size_t metric = 0;
  bool smaller_is_better = false;
  /// Candidates in folds at a time.
  int threads = 1;
  /// May be called by several threads at a time.
  std::function<std::unique_ptr<FoldTrial>(std::size_t candidate, std::size_t fold)> make;
  /// Called after every training, by one thread at a time; may be null.
  std::function<void(const SearchProgress&)> observer;
};

/// One candidate with one λ in all folds.
struct SearchEntry {
  std::size_t candidate = 0;
  double lambda = 0;
  std::vector<TrialResult> folds;

  std::vector<double> figures(std::size_t metric) const;
  FoldTotals totals() const;
  /// The largest certified relative gap of a training that did not converge; 0 when all did.
  double widest_gap() const;
};

/// Where the best λ lies among the values that its candidate was tried with.
enum class SearchEdge { kInside, kLargest, kSmallest, kOnly };

struct LambdaSearchResult {
  std::vector<SearchEntry> entries;  ///< by candidates, λ falling
  std::size_t best = 0;              ///< of equal ones, the first
  SearchEdge edge = SearchEdge::kInside;
  SearchProgress progress;
  bool interrupted = false;  ///< then entries may lack folds, and there is no best one

  /// Whether the best of several values is the largest or the smallest.
  bool at_end() const { return edge == SearchEdge::kLargest || edge == SearchEdge::kSmallest; }
};

/// Throws what `make` and trials throw. `interrupt` may be null.
LambdaSearchResult SearchLambda(const LambdaSearchTask& task, const std::atomic<int>* interrupt);

/// Five values around a λ, a factor of √10 apart, falling, each as RoundedLambda has it.
std::vector<double> LambdasAround(double lambda);

}  // namespace slackline::internal
