// SPDX-License-Identifier: BSD-3-Clause
//
// Cross-validation of all applications: which λ, and which of several candidates (graphs of labels,
// losses), predicts best what training has not seen.
//
// An application says what its candidates are (CvApplication), and how one of them is trained in a
// fold and measured on what the fold holds out (FoldTrial). Every candidate is tried in every fold.
// In a fold, the values of λ are trained from the largest to the smallest, each from the solution
// of the one before. Candidates in folds are independent of each other and run in parallel; the
// result does not depend on the number of threads.
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

/// One training, and its figures on the examples that the fold holds out.
struct TrialResult {
  std::vector<double> figures;  ///< in the order of their FigureNames
  ProgressRecord last;
  Termination termination = Termination::kMaxPasses;
};

/// One candidate in one fold.
class FoldTrial {
 public:
  virtual ~FoldTrial() = default;
  /// Trains with λ, from the solution of the call before, and measures the model. After an
  /// interrupt the figures are not read.
  virtual TrialResult Run(double lambda, const std::atomic<int>* interrupt) = 0;
};

/// The trials of applications: the training is here, the problem and the figures are theirs.
class TrainedTrial : public FoldTrial {
 public:
  TrialResult Run(double lambda, const std::atomic<int>* interrupt) final;

 protected:
  /// options: of every training; λ is not used.
  explicit TrainedTrial(const TrainOptions& options) : options_(options) {}
  /// What is trained, with any λ; to be called by constructors.
  void SetProblem(Problem problem) { problem_.emplace(std::move(problem)); }

  const TrainOptions& options() const { return options_; }
  const Problem& problem() const { return *problem_; }

 private:
  /// The figures of these weights on the examples that the fold holds out.
  virtual std::vector<double> Figures(std::span<const double> weights) = 0;

  const TrainOptions options_;
  std::optional<Problem> problem_;
  std::optional<PathTrainer> trainer_;  // made with the first λ
};

/// What cross-validation needs to know of an application and its data.
class CvApplication {
 public:
  virtual ~CvApplication() = default;

  /// The file of the data, for messages.
  virtual std::string source() const = 0;
  virtual Index num_examples() const = 0;
  /// Whether any label of the example is known: one that can be trained on, and compared with.
  virtual bool HasKnownLabel(Index example) const = 0;
  /// Candidate number `candidate` in a fold, trained with these options, of which λ is not used.
  /// Called by several threads at a time, for folds with known labels inside and outside.
  virtual std::unique_ptr<FoldTrial> MakeTrial(std::size_t candidate, const Fold& fold,
                                               const TrainOptions& options) const = 0;
};

/// Throws DataError when a fold has no known label, or has all of them: then there is nothing to
/// compare its predictions with, or nothing to train on.
void CheckFolds(const CvApplication& application, const Folds& folds);

/// What has been done. Seconds are elapsed ones.
struct CvProgress {
  Index done = 0;
  Index total = 0;  ///< trainings known to come, the done ones included
  double seconds_left = 0;
};

struct CvPlan {
  std::vector<double> lambdas;  ///< falling, at least one
  Folds folds;                  ///< at least two
  /// How each candidate is trained; λ and threads are not used.
  std::vector<TrainOptions> candidates;
  /// Values of λ beyond the ends, a factor of √10 apart, are tried while the best one lies at an
  /// end.
  bool extend = false;
  /// The figure to choose by.
  std::size_t metric = 0;
  bool smaller_is_better = false;
  /// Of all trainings together.
  int threads = 1;
  /// Called after every training, by one thread at a time; may be null.
  std::function<void(const CvProgress&)> observer;

  /// Trainings with one λ: every candidate in every fold.
  std::size_t num_trials() const { return folds.size() * candidates.size(); }
};

/// One candidate with one λ in all folds.
struct CvEntry {
  std::size_t candidate = 0;
  double lambda = 0;
  std::vector<TrialResult> folds;

  std::vector<double> figures(std::size_t metric) const;
  FoldTotals totals() const;
  /// The largest certified relative gap of a training that did not converge; 0 when all did.
  double widest_gap() const;
};

/// Where the best λ lies among the values that its candidate was tried with.
enum class PathEdge { kInside, kLargest, kSmallest, kOnly };

struct CvResult {
  std::vector<CvEntry> entries;  ///< by candidates, λ falling
  std::size_t best = 0;          ///< of equal ones, the first
  PathEdge edge = PathEdge::kInside;
  CvProgress progress;
  bool interrupted = false;  ///< then entries may lack folds, and there is no best one

  /// Whether the best of several values is the largest or the smallest.
  bool at_end() const { return edge == PathEdge::kLargest || edge == PathEdge::kSmallest; }
};

/// Throws what CheckFolds, MakeTrial and trials throw. `interrupt` may be null.
CvResult CrossValidate(const CvApplication& application, const CvPlan& plan,
                       const std::atomic<int>* interrupt);

/// Five values around a λ, a factor of √10 apart, falling, each as RoundedLambda has it.
std::vector<double> LambdasAround(double lambda);

}  // namespace slackline::internal
