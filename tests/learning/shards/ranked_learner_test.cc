// SPDX-License-Identifier: BSD-3-Clause
//
// Shards on several ranks: the same bits as on one, whatever ranks have.
#include <algorithm>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/learning/shards/shard_deal.h>
#include <slackline/learning/train_loop.h>

#include "tests/support/multilabel_problems.h"
#include "tests/support/random_problems.h"
#include "tests/support/thread_ranks.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

TrainOptions Shards(Index shards) {
  TrainOptions options;
  options.learner = LearnerKind::kBcfw;
  options.step = StepKind::kPairwise;
  options.order = OrderKind::kGap;
  options.proximal = Switch::kAuto;
  options.shards = shards;
  options.max_passes = 12;
  options.gap_tolerance = 1e-4;
  return options;
}

Problem DenseProblem(Random& random, Index examples) {
  return Problem(RandomMultiLabelProblem(random, examples, 4, 3, false), 0.02);
}
Problem TextProblem(Random& random) {
  return Problem(RandomTextProblem(random, 600, 10, 3000), 1.0 / 600);
}

/// The examples of a rank that has these shards of all.
Problem PartOf(const Problem& problem, Index shards, Ranks& ranks) {
  const Ranks::Piece piece = ranks.PieceOf(shards);
  const auto at = [&](std::int64_t shard) {
    return RangeOfShard(problem.size(), shards, static_cast<Index>(shard));
  };
  return ProblemOfRange(problem, {at(piece.begin).begin, at(piece.end - 1).end});
}

/// Everything about a run that must not depend on the number of ranks.
struct Outcome {
  std::vector<double> weights;
  std::vector<double> figures;
  bool operator==(const Outcome&) const = default;
};
Outcome OutcomeOf(const TrainSummary& summary) {
  const ProgressRecord& last = summary.last;
  return {summary.weights,
          {last.primal, last.dual, static_cast<double>(last.pass),
           static_cast<double>(last.oracle_calls), static_cast<double>(last.block_steps),
           static_cast<double>(last.rounds)}};
}

}  // namespace

TEST_CASE("runs on several ranks are those on one, bit for bit") {
  Random random(1);
  for (const bool texts : {false, true}) {
    const Problem problem = texts ? TextProblem(random) : DenseProblem(random, 101);
    for (const Index shards : {3, 4, 8}) {
      const TrainOptions options = Shards(shards);
      const Outcome alone = OutcomeOf(Train(problem, options));
      for (const int size : {1, 2, 3}) {
        std::vector<Outcome> outcomes(size);
        OnThreadRanks(size, [&](ThreadRanks& ranks) {
          TrainOptions own = options;
          own.ranks = &ranks;
          outcomes[ranks.rank()] = OutcomeOf(Train(PartOf(problem, shards, ranks), own));
        });
        CAPTURE(texts);
        CAPTURE(shards);
        CAPTURE(size);
        for (const Outcome& outcome : outcomes) {
          CHECK(outcome.weights == alone.weights);
          CHECK(outcome.figures == alone.figures);
        }
      }
    }
  }
}
