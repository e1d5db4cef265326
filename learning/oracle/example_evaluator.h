// SPDX-License-Identifier: BSD-3-Clause
//
// The certified primal of learners that call an oracle over whole examples: P(w) (or G(w) where the
// oracle maximises over the local polytope) is the regulariser plus the mean of certified hinges,
// which are the oracle's own upper bounds on max_s H_m(s; w) (problem.h). All sums of hinges, on
// any number of threads, are made here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <slackline/learning/learner.h>
#include <slackline/learning/oracle/example_oracle.h>
#include <slackline/learning/problem.h>
#include <slackline/learning/progress.h>
#include <slackline/learning/step/active_set.h>

namespace slackline::internal {

/// Work space of one thread.
struct HingeScratch {
  std::vector<double> scores;
  WarmStart warm;
  SparseCorner corner;
};

/// Certified upper bound on max_s H_m(s; weights) ≥ 0. `oracle` must have been refreshed since a
/// call at other weights. given: a set whose corner 0 is the ground truth. doublings: if set, the
/// function calls ExampleOracle::Search, too. Throws as CheckedHinge does (oracle_check.h).
double CertifiedHinge(const Problem& problem, Index m, std::span<const double> weights,
                      const ActiveSet& given, const WarmStart& warm, std::optional<Index> doublings,
                      ExampleOracle* oracle, HingeScratch* scratch);

/// How a sum over examples is made. The number of chunks decides the last digits of the result; the
/// number of threads does not.
struct SumPlan {
  int threads = 1;
  int chunks = 16;
  /// The calling thread runs it first, while other threads sum; null: nothing.
  const std::function<void()>* beside = nullptr;
};

/// Evaluates with one oracle per thread.
class ExampleEvaluator {
 public:
  /// The oracles are made when first needed, and may throw then; oracle() makes the first one.
  ExampleEvaluator(const Problem& problem, const ExampleOracle::Options& options)
      : problem_(problem), options_(options) {}

  /// The first oracle. Learners whose oracle keeps nothing between calls use it for passes, too.
  ExampleOracle& oracle();
  CertifiedProblem certified() {
    return oracle().relaxed() ? CertifiedProblem::kRelaxed : CertifiedProblem::kExact;
  }

  /// A certified bound on max H_m, by the oracle and work space of the calling thread.
  using Hinge = std::function<double(Index m, ExampleOracle* oracle, HingeScratch* scratch)>;
  /// (1/M) Σ_m hinge(m). The oracles are refreshed first. With one thread, m is 0, 1, ….
  double MeanHinge(const SumPlan& plan, const Hinge& hinge);

  /// (1/M) Σ_m of upper bounds by an oracle of dense corners. warm: empty, or one per example,
  /// copied and not changed. offsets: empty, or for all examples in the layout of
  /// TrainingSet::losses (ExampleOracle::Maximise).
  double MeanBound(std::span<const double> weights, std::span<const WarmStart> warm, int threads,
                   std::span<const double> offsets = {});
  /// MeanBound + λ/2 ‖w‖².
  double Primal(std::span<const double> weights, std::span<const WarmStart> warm, int threads,
                std::span<const double> offsets = {});
  /// Primal with the bounds of CertifiedHinge. sets, warm: one per example.
  double Primal(std::span<const double> weights, std::span<const ActiveSet> sets,
                std::span<const WarmStart> warm, int threads);

  /// Maximises every example at the weights and hands its corner to `take` on the thread that found
  /// the corner, so `take` may write data of example m. Warm starts are updated. Requires dense
  /// corners. Returns false when `stop` ended the sweep before all examples were done; the examples
  /// that `take` has received may then differ from run to run.
  bool Sweep(std::span<const double> weights, std::span<WarmStart> warm, int threads,
             const StopControl& stop,
             const std::function<void(Index m, const Corner& corner)>& take);

  /// Changes λ (Problem::WithLambda).
  void set_problem(const Problem& problem);
  /// Array entries that the oracles have touched so far.
  std::int64_t work() const;

 private:
  struct Worker {
    ExampleOracle oracle;
    HingeScratch scratch;
  };
  void MakeWorkers(int threads);

  Problem problem_;
  ExampleOracle::Options options_;
  std::vector<std::unique_ptr<Worker>> workers_;  // one per thread
};

}  // namespace slackline::internal
