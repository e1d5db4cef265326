// SPDX-License-Identifier: BSD-3-Clause
//
// How large the losses and scores of a problem can be (problem.h).
#pragma once

#include <map>
#include <vector>

#include <slackline/core/ranks.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Σ_i max_s Δ_i(s) of example m, or 1 with the loss 1 − F1: an upper bound on the loss of its
/// labellings. The labelling that attains it may be forbidden.
double LargestLoss(const Problem& problem, Index m);

/// ScoreScale (problem.h) with another mean squared range of the features than that of the problem,
/// as kernels need. Requires squared_range ≥ 0.
double ScoreScale(const Problem& problem, double squared_range);
/// The same of the numbers themselves: λ, the mean squared range, and the numbers of parts and of
/// examples.
double ScoreScale(double lambda, double squared_range, Offset num_parts, Index num_examples);

/// s = λM/R² (Problem::penalty_scale) of the numbers themselves.
double PenaltyScale(double lambda, double squared_range, Index num_examples);

/// The terms of Problem::mean_squared_range, for one example after the other.
class SquaredRanges {
 public:
  /// Calls visit(range, count) for the parts of an example in their order, global factors last;
  /// count: of successive parts with this range, max_{y,y'} ‖ψ_a(y) − ψ_a(y')‖². Where a part has
  /// several terms, the maximum of every term is added up, which bounds the whole from above.
  template <class Visit>
  void VisitParts(const ExampleView& example, const Visit& visit) {
    if (&example.structure() != structure_) ReadConstants(example);
    Index part = 0;
    for (const Run& run : runs_) {
      if (run.range >= 0) {
        visit(run.range, run.count);
        part += run.count;
      } else {
        for (const Index end = part + run.count; part < end; ++part)
          visit(OfPart(example, part), 1);
      }
    }
    for (const GlobalPart& global : example.structure().globals())
      visit(OfFactor(global.factor.get()), 1);
  }

 private:
  static double OfPart(const ExampleView& example, Index part);
  double OfFactor(const GlobalFactor* factor);
  void ReadConstants(const ExampleView& example);

  // By factor, because the same factor object may serve many examples.
  std::map<const GlobalFactor*, double> known_;
  // Successive parts of the structure of the last example, with equal ranges, or with ranges that
  // depend on the example's numbers (−1).
  struct Run {
    double range;
    Index count;
  };
  const Structure* structure_ = nullptr;
  std::vector<Run> runs_;
};

/// Whether M ≥ 2d: many examples then share a weight, and most examples no longer matter once the
/// weights are nearly right.
bool ExamplesOutnumberWeights(Index num_examples, Offset num_weights);

/// M: the examples of all ranks. All ranks must call it. Throws DataError on all ranks when there
/// are more than an Index counts.
Index NumExamples(const Problem& problem, Ranks& ranks);

/// The scales of the problem that the ranks of the options have together; each has a problem of its
/// own examples.
struct JointScales {
  Index num_examples = 0;                ///< M
  Offset num_parts = 0;                  ///< Problem::num_parts
  double mean_squared_range = 0;         ///< Problem::mean_squared_range
  double primal_at_zero = 0;             ///< PrimalAtZeroWeights
  double score_scale = 0;                ///< ScoreScale
  bool relaxation_exceeds_zero = false;  ///< RelaxationExceedsZero, on any rank
};
/// To be called by all ranks, which get the same bits; sums are exact with shards (ExactRanks).
/// With one rank without shards, these are the scales of the problem. One sweep over all examples.
/// Throws what NumExamples and PrimalAtZeroWeights throw.
JointScales JointScalesOf(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
