// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/example_evaluator.h>

#include <atomic>
#include <numeric>
#include <utility>

#include <slackline/core/parallel.h>

namespace slackline::internal {
namespace {
constexpr int kChunks = 16;
}  // namespace

ExampleEvaluator::ExampleEvaluator(const Problem& problem, SolverKind kind, double lp_tolerance)
    : problem_(problem), kind_(kind) {
  oracles_.push_back(std::make_unique<ExampleOracle>(problem, kind));
  if (lp_tolerance > 0) loose_ = std::make_unique<ExampleOracle>(problem, kind, lp_tolerance);
}

void ExampleEvaluator::MakeOracles(int threads) {
  MakeForThreads(threads, &oracles_,
                 [&] { return std::make_unique<ExampleOracle>(problem_, kind_); });
}

double ExampleEvaluator::Primal(std::span<const double> weights, std::span<const WarmStart> warm,
                                int threads, std::span<const double> offsets) {
  MakeOracles(threads);
  std::vector<double> bounds(kChunks, 0.0);
  ParallelChunks(problem_.size(), kChunks, threads, [&](const Chunk& chunk) {
    for (Index m = chunk.begin; m < chunk.end; ++m) {
      WarmStart own;
      if (!warm.empty()) own = warm[m];
      std::span<const double> of_example;
      if (!offsets.empty()) {
        of_example = offsets.subspan(problem_.training().loss_begin[m], problem_.loss(m).size());
      }
      bounds[chunk.chunk] +=
          oracles_[chunk.thread]->Maximise(m, weights, &own, of_example).upper_bound;
    }
  });
  const double hinge = std::accumulate(bounds.begin(), bounds.end(), 0.0);
  return Regulariser(problem_.lambda(), weights) + hinge / problem_.size();
}

void ExampleEvaluator::TryAverage(const IterateAverage& average, std::span<const double> newest,
                                  std::span<const WarmStart> warm, int threads,
                                  std::vector<double>* weights, Evaluation* evaluation) {
  if (!average.active()) return;
  std::vector<double> mean;
  average.Read(newest, &mean);
  mean.resize(problem_.num_weights());
  const double primal = Primal(mean, warm, threads);
  if (!(primal < evaluation->primal)) return;
  evaluation->primal = primal;
  *weights = std::move(mean);
}

bool ExampleEvaluator::Sweep(std::span<const double> weights, std::span<WarmStart> warm,
                             int threads, const StopControl& stop,
                             const std::function<void(Index, const Corner&)>& take) {
  MakeOracles(threads);
  std::atomic<Index> done{0};
  ParallelChunks(problem_.size(), kChunks, threads, [&](const Chunk& chunk) {
    for (Index m = chunk.begin; m < chunk.end && !stop.ShouldStop(); ++m) {
      ExampleOracle& oracle = *oracles_[chunk.thread];
      take(m, oracle.Maximise(m, weights, &warm[m]));
      ++done;
    }
  });
  return done == problem_.size();
}

void ExampleEvaluator::set_problem(const Problem& problem) {
  problem_ = problem;
  for (const auto& oracle : oracles_) oracle->set_problem(problem);
  if (loose_) loose_->set_problem(problem);
}

}  // namespace slackline::internal
