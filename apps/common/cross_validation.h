// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-validation for all applications. It chooses λ and one of several candidates (graphs of
// labels, losses) by the quality of predictions on held-out examples.
//
// An application defines its candidates (CvApplication), and how one of them is trained in a fold
// and measured on the fold's held-out examples (FoldTrial). Every candidate is tried in every fold.
// In a fold, training goes from the largest λ to the smallest; each starts from the solution of the
// previous one. The pairs of candidate and fold are independent and run in parallel; the result
// does not depend on the number of threads.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <slackline/apps/common/folds.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/run/path_trainer.h>
#include <slackline/learning/termination.h>

namespace slackline::internal {

/// One training and its metrics on the held-out examples of the fold.
struct TrialResult {
  std::vector<double> figures;  ///< in the order of their FigureNames
  ProgressRecord last;
  Termination termination = Termination::kMaxPasses;
};

/// One candidate in one fold.
class FoldTrial {
 public:
  virtual ~FoldTrial() = default;
  /// Trains with λ from the solution of the previous call, and measures the model. After an
  /// interrupt the figures are not read.
  virtual TrialResult Run(double lambda, const std::atomic<int>* interrupt) = 0;
};

/// A trial that does the training; applications supply the problem and the metrics.
class TrainedTrial : public FoldTrial {
 public:
  TrialResult Run(double lambda, const std::atomic<int>* interrupt) final;

 protected:
  /// `options` of every training; λ is not used.
  explicit TrainedTrial(const TrainOptions& options) : options_(options) {}
  /// The training problem, with any λ; to be called by constructors.
  void SetProblem(Problem problem) { problem_.emplace(std::move(problem)); }

  const TrainOptions& options() const { return options_; }
  const Problem& problem() const { return *problem_; }

 private:
  /// The metrics of these weights on the held-out examples of the fold.
  virtual std::vector<double> Figures(std::span<const double> weights) = 0;

  const TrainOptions options_;
  std::optional<Problem> problem_;
  std::optional<PathTrainer> trainer_;  // made at the first λ
};

/// What cross-validation needs of an application and its data.
class CvApplication {
 public:
  virtual ~CvApplication() = default;

  /// The file of the data, for messages.
  virtual std::string source() const = 0;
  virtual Index num_examples() const = 0;
  /// Whether any label of the example is known. Otherwise the example is useless for training and
  /// comparison.
  virtual bool HasKnownLabel(Index example) const = 0;
  /// Candidate number `candidate` in a fold, to be trained with these options (λ is not used).
  /// Several threads may call this function at once. The fold has known labels both held out and in
  /// training.
  virtual std::unique_ptr<FoldTrial> MakeTrial(std::size_t candidate, const Fold& fold,
                                               const TrainOptions& options) const = 0;
};

/// Throws DataError when a fold has no known label (its predictions cannot be compared), or all
/// known labels (nothing is left for training).
void CheckFolds(const CvApplication& application, const Folds& folds);

/// Progress so far. Seconds are elapsed time.
struct CvProgress {
  Index done = 0;
  Index total = 0;  ///< trainings known so far to be needed, including the done ones
  double seconds_left = 0;
};

struct CvPlan {
  std::vector<double> lambdas;  ///< descending, at least one
  Folds folds;                  ///< at least two
  /// The training options of each candidate; λ and threads are not used.
  std::vector<TrainOptions> candidates;
  /// Whether to try values of λ beyond the ends, in steps of a factor √10, while the best value
  /// lies at an end.
  bool extend = false;
  /// Index of the metric that chooses the best entry.
  std::size_t metric = 0;
  bool smaller_is_better = false;
  /// The number of threads for all trainings of this process.
  int threads = 1;
  /// The processes that share the trainings; each has all examples. null: this process alone. One
  /// process trains a candidate in a fold with all values of λ.
  Ranks* ranks = nullptr;
  /// Called after every training of this process, by one thread at a time; may be null.
  std::function<void(const CvProgress&)> observer;

  /// The number of trainings for one λ: every candidate in every fold.
  std::size_t num_trials() const { return folds.size() * candidates.size(); }
};

/// One candidate with one λ, in all folds.
struct CvEntry {
  std::size_t candidate = 0;
  double lambda = 0;
  std::vector<TrialResult> folds;

  std::vector<double> figures(std::size_t metric) const;
  FoldTotals totals() const;
  /// The largest certified relative gap of the trainings that did not converge; 0 if all did.
  double widest_gap() const;
};

/// The position of the best λ among the values that its candidate was tried with.
enum class PathEdge { kInside, kLargest, kSmallest, kOnly };

struct CvResult {
  std::vector<CvEntry> entries;  ///< by candidate, then descending λ
  std::size_t best = 0;          ///< of equal entries, the first
  PathEdge edge = PathEdge::kInside;
  CvProgress progress;
  bool interrupted = false;  ///< if so, entries may lack folds and there is no best one

  /// Whether the best λ is the largest or the smallest of several values.
  bool at_end() const { return edge == PathEdge::kLargest || edge == PathEdge::kSmallest; }
};

/// Throws what CheckFolds, MakeTrial and trials throw. `interrupt` may be null. With several ranks,
/// all of them must call this function. They get the same result, which does not depend on their
/// number; a DataError or an interrupt on one rank ends the function on all. Candidates' options
/// must be those of one process (else DataError).
CvResult CrossValidate(const CvApplication& application, const CvPlan& plan,
                       const std::atomic<int>* interrupt);

/// Five values around a λ, a factor of √10 apart, descending, each rounded by RoundedLambda.
std::vector<double> LambdasAround(double lambda);

}  // namespace slackline::internal
