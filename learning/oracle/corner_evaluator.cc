// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/corner_evaluator.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/parallel.h>
#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/oracle/oracle_check.h>

namespace slackline::internal {
namespace {
constexpr int kChunks = 16;
}  // namespace

double CertifiedHinge(const Problem& problem, Index m, std::span<const double> weights,
                      const ActiveSet& given, const WarmStart& warm, std::optional<Index> doublings,
                      CornerOracle* oracle, HingeScratch* scratch) {
  const ExampleView example = problem.data().example(m);
  std::vector<double>& slot_scores = scratch->slot_scores;
  slot_scores.resize(SlotCoordinates(example.structure()));
  SlotScores(example, weights, slot_scores);
  scratch->warm = warm;
  double bound = oracle->Maximise(m, slot_scores, weights, &scratch->warm, true, &scratch->corner);
  bool complete = false;
  if (doublings) {
    bound = std::min(bound, oracle->Search(m, slot_scores, weights, *doublings, &scratch->warm,
                                           nullptr, &complete));
  }
  const double score = given.Score(0, slot_scores, weights);
  // Scores that overflow on both sides say nothing of the oracle: the hinge is not a number.
  if (std::isinf(bound) && bound == score) return bound - score;
  return CheckedHinge(m, {bound, score, 0}, [&] {
    std::vector<double> u(example.structure().num_coordinates());
    CoordinateScores(example, weights, u);
    return oracle->score_factor(m) * SizeOfScores(example, u, problem.loss(m));
  });
}

void PrepareCheckers(const Problem& problem, SolverKind kind, Rescaling rescaling,
                     CornerOracle::Searches searches, std::span<const double> weights, int threads,
                     std::vector<std::unique_ptr<HingeChecker>>* checkers) {
  MakeForThreads(threads, checkers, [&] {
    return std::make_unique<HingeChecker>(HingeChecker{
        CornerOracle(problem, kind, CornerOracle::Effort::kChecking, rescaling, searches), {}});
  });
  for (int t = 0; t < threads; ++t) (*checkers)[t]->oracle.Refresh(weights);
}

CornerEvaluator::CornerEvaluator(const Problem& problem, SolverKind kind, Rescaling rescaling)
    : problem_(problem), kind_(kind), rescaling_(rescaling) {}

double CornerEvaluator::Hinge(std::span<const double> weights, std::span<const ActiveSet> sets,
                              std::span<const WarmStart> warm, int threads) {
  threads = std::clamp(threads, 1, kChunks);
  PrepareCheckers(problem_, kind_, rescaling_, CornerOracle::Searches::kAlways, weights, threads,
                  &checkers_);
  std::vector<double> bounds(kChunks, 0.0);
  ParallelChunks(problem_.size(), kChunks, threads, [&](const Chunk& chunk) {
    HingeChecker& checker = *checkers_[chunk.thread];
    for (Index m = chunk.begin; m < chunk.end; ++m) {
      const std::size_t k = m;
      bounds[chunk.chunk] += CertifiedHinge(problem_, m, weights, sets[k], warm[k], std::nullopt,
                                            &checker.oracle, &checker.scratch);
    }
  });
  return std::accumulate(bounds.begin(), bounds.end(), 0.0) / problem_.size();
}

}  // namespace slackline::internal
