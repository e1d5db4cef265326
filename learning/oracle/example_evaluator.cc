// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/example_evaluator.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include <slackline/core/feature_gram.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/parallel.h>
#include <slackline/core/slot_sweeps.h>
#include <slackline/learning/oracle/oracle_check.h>

namespace slackline::internal {

double CertifiedHinge(const Problem& problem, Index m, std::span<const double> weights,
                      const ActiveSet& given, const WarmStart& warm, std::optional<Index> doublings,
                      ExampleOracle* oracle, HingeScratch* scratch) {
  const ExampleView example = problem.data().example(m);
  std::vector<double>& slot_scores = scratch->scores;
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
  // If both scores overflow, nothing can be said about the oracle, and the hinge is not a number.
  if (std::isinf(bound) && bound == score) return bound - score;
  return CheckedHinge(m, {bound, score, 0}, [&] {
    std::vector<double> u(example.structure().num_coordinates());
    CoordinateScores(example, weights, u);
    return oracle->score_factor(m) * SizeOfScores(example, u, problem.loss(m));
  });
}

void ExampleEvaluator::MakeWorkers(int threads) {
  MakeForThreads(threads, &workers_, [&] {
    return std::make_unique<Worker>(Worker{ExampleOracle(problem_, options_), {}});
  });
}

ExampleOracle& ExampleEvaluator::oracle() {
  MakeWorkers(1);
  return workers_[0]->oracle;
}

double ExampleEvaluator::MeanHinge(const SumPlan& plan, const Hinge& hinge) {
  const int threads = std::clamp(plan.threads, 1, plan.chunks);
  MakeWorkers(threads);
  for (int t = 0; t < threads; ++t) workers_[t]->oracle.Refresh();
  std::vector<double> sums(plan.chunks, 0.0);
  const auto add = [&](const Chunk& chunk) {
    Worker& worker = *workers_[chunk.thread];
    for (Index m = chunk.begin; m < chunk.end; ++m) {
      problem_.data().PrefetchSweep(chunk.begin, m, chunk.end);
      sums[chunk.chunk] += hinge(m, &worker.oracle, &worker.scratch);
    }
  };
  if (plan.beside != nullptr) {
    ParallelChunksBeside(*plan.beside, problem_.size(), plan.chunks, threads, add);
  } else {
    ParallelChunks(problem_.size(), plan.chunks, threads, add);
  }
  return std::accumulate(sums.begin(), sums.end(), 0.0) / problem_.size();
}

double ExampleEvaluator::MeanBound(std::span<const double> weights, std::span<const WarmStart> warm,
                                   int threads, std::span<const double> offsets) {
  return MeanHinge(
      {.threads = threads}, [&](Index m, ExampleOracle* oracle, HingeScratch* scratch) {
        scratch->warm = warm.empty() ? WarmStart() : warm[m];
        std::span<const double> of_example;
        if (!offsets.empty()) {
          of_example = offsets.subspan(problem_.training().loss_begin[m], problem_.loss(m).size());
        }
        return oracle->Maximise(m, weights, &scratch->warm, of_example).upper_bound;
      });
}

double ExampleEvaluator::Primal(std::span<const double> weights, std::span<const WarmStart> warm,
                                int threads, std::span<const double> offsets) {
  return Regulariser(problem_.lambda(), weights) + MeanBound(weights, warm, threads, offsets);
}

double ExampleEvaluator::Primal(std::span<const double> weights, std::span<const ActiveSet> sets,
                                std::span<const WarmStart> warm, int threads) {
  const double hinge = MeanHinge({.threads = threads}, [&](Index m, ExampleOracle* oracle,
                                                           HingeScratch* scratch) {
    return CertifiedHinge(problem_, m, weights, sets[m], warm[m], std::nullopt, oracle, scratch);
  });
  return Regulariser(problem_.lambda(), weights) + hinge;
}

bool ExampleEvaluator::Sweep(std::span<const double> weights, std::span<WarmStart> warm,
                             int threads, const StopControl& stop,
                             const std::function<void(Index, const Corner&)>& take) {
  const int chunks = SumPlan().chunks;
  threads = std::clamp(threads, 1, chunks);
  MakeWorkers(threads);
  std::atomic<Index> done{0};
  ParallelChunks(problem_.size(), chunks, threads, [&](const Chunk& chunk) {
    for (Index m = chunk.begin; m < chunk.end && !stop.ShouldStop(); ++m) {
      problem_.data().PrefetchSweep(chunk.begin, m, chunk.end);
      take(m, workers_[chunk.thread]->oracle.Maximise(m, weights, &warm[m]));
      ++done;
    }
  });
  return done == problem_.size();
}

void ExampleEvaluator::set_problem(const Problem& problem) {
  problem_ = problem;
  for (const auto& worker : workers_) worker->oracle.set_problem(problem);
}

std::int64_t ExampleEvaluator::work() const {
  std::int64_t work = 0;
  for (const auto& worker : workers_) work += worker->oracle.work();
  return work;
}

}  // namespace slackline::internal
