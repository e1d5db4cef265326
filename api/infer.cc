// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/infer.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <slackline/api/graph_impl.h>
#include <slackline/api/score_solver_impl.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/stop_condition.h>
#include <slackline/factors/joint_states.h>

namespace slackline {
inline namespace v1 {
namespace {

using internal::kInfinity;
using internal::MapResult;

/// Pieces of a batch. Fixed, so that results do not depend on the number of threads.
constexpr int kChunks = 64;

/// The structure for given scores: the graph's own one where no factor has weights of its own max
/// oracle, else one in which each such factor has its own block of weights.
struct ScoreStructures {
  std::shared_ptr<const internal::Structure> structure, open;
};

std::shared_ptr<const internal::Structure> WithOwnWeights(const internal::Structure& given) {
  auto layout = std::make_shared<internal::WeightLayout>();
  const std::span<const internal::GlobalPart> globals = given.globals();
  std::vector<int> blocks;
  for (const internal::GlobalPart& part : globals) {
    const int weights = part.factor->num_weights();
    blocks.push_back(
        weights == 0 ? -1 : layout->AddBlock(std::to_string(layout->num_blocks()), weights, 1));
  }
  internal::StructureBuilder builder(given.shared_graph(), layout);
  for (std::size_t g = 0; g < globals.size(); ++g)
    builder.SetGlobalFactor(static_cast<int>(g), globals[g].factor, blocks[g]);
  for (int part = 0; part < given.graph().num_parts(); ++part) {
    if (given.forbidden_states(part).empty()) continue;
    std::vector<bool> flags(given.graph().num_states(part), false);
    for (const int s : given.forbidden_states(part)) flags[s] = true;
    builder.ForbidStates(part, flags);
  }
  return builder.Build();
}

ScoreStructures StructuresFor(const GraphImpl& graph) {
  if (graph.structure->globals().empty()) return {graph.structure, graph.open};
  const auto structure = WithOwnWeights(*graph.structure);
  return {structure, graph.open == graph.structure ? structure : WithOwnWeights(*graph.open)};
}

void AddLabellingFeatures(const internal::Structure& structure, std::span<const int> labels,
                          std::vector<double>* out) {
  const internal::FactorGraph& graph = structure.graph();
  for (int i = 0; i < graph.num_variables(); ++i) (*out)[graph.state_offset(i) + labels[i]] = 1;
  for (int c = 0; c < graph.num_factors(); ++c) {
    std::ptrdiff_t state = 0;
    for (const int i : graph.scope(c)) state = state * graph.cardinality(i) + labels[i];
    (*out)[graph.factor_offset(c) + state] = 1;
  }
  std::size_t at = graph.total_states();
  for (int g = 0; g < graph.num_global_factors(); ++g) {
    const internal::GlobalFactor& factor = *structure.globals()[g].factor;
    std::vector<int> states;
    for (const int i : graph.global_scope(g)) states.push_back(labels[i]);
    const std::span<double> own = std::span(*out).subspan(at, factor.num_weights());
    if (factor.Allows(states)) factor.AddFeatures(states, 1.0, own);
    at += own.size();
  }
}

}  // namespace

ScoreLayout::ScoreLayout(const Graph& given) {
  const internal::Structure& structure = *given.impl()->structure;
  const internal::FactorGraph& graph = structure.graph();
  const auto add = [this](std::vector<int> variables, std::size_t size,
                          std::vector<ScoreBlock>* blocks) {
    blocks->push_back({std::move(variables), size_, size});
    size_ += size;
  };
  for (int i = 0; i < graph.num_variables(); ++i) add({i}, graph.cardinality(i), &variables_);
  for (int c = 0; c < graph.num_factors(); ++c) {
    const std::span<const int> scope = graph.scope(c);
    add({scope.begin(), scope.end()}, graph.factor_states(c), &tables_);
  }
  for (int g = 0; g < graph.num_global_factors(); ++g) {
    const std::span<const int> scope = graph.global_scope(g);
    add({scope.begin(), scope.end()}, structure.globals()[g].factor->num_weights(), &oracles_);
  }
}

struct Inference::Impl {
  Impl(const Graph& graph, const InferOptions& o)
      : options(o),
        structures(StructuresFor(*graph.impl())),
        solver(structures.structure, structures.open, o),
        size(ScoreLayout(graph).size()) {}

  const internal::FactorGraph& graph() const { return solver.graph(); }

  void SetScores(std::span<const double> scores) {
    SLACKLINE_CHECK(scores.size() == size, "the graph needs " + std::to_string(size) +
                                               " scores, not " + std::to_string(scores.size()));
    const std::size_t states = graph().total_states();
    for (std::size_t k = states; k < size; ++k)
      SLACKLINE_CHECK(std::isfinite(scores[k]), "score " + std::to_string(k) + " is not finite");
    for (std::size_t k = 0; k < states; ++k)
      SLACKLINE_CHECK(scores[k] < kInfinity,
                      "score " + std::to_string(k) + " is not a number, or infinite");
    std::copy_n(scores.begin(), states, solver.scores().begin());
    weights.assign(scores.begin() + static_cast<std::ptrdiff_t>(states), scores.end());
    solver.SetWeights(weights);
    solver.ScoresChanged();
  }

  InferOptions options;
  ScoreStructures structures;
  ScoreSolver solver;
  std::size_t size;
  std::vector<double> weights;                           // of the factors with their own max oracle
  const internal::StopCondition* shared_stop = nullptr;  // of a batch
};

Inference::Inference(const Graph& graph, const InferOptions& options)
    : impl_(std::make_unique<Impl>(graph, options)) {}
Inference::Inference(Inference&& other) noexcept = default;
Inference& Inference::operator=(Inference&& other) noexcept = default;
Inference::~Inference() = default;

InferResult Inference::Infer(std::span<const double> scores) {
  impl_->solver.StartClock(impl_->shared_stop);
  impl_->SetScores(scores);
  MapResult solution;
  impl_->solver.Solve(&solution);
  InferResult result;
  if (impl_->options.marginals && !solution.integral) {
    result.marginals = std::move(solution.marginals);
    result.marginals.resize(impl_->size, 0.0);
    result.fractional = true;
  }
  Prediction best = PredictionOf(&impl_->solver, std::move(solution));
  result.labels = std::move(best.labels);
  result.score = best.score;
  result.bound = best.bound;
  result.optimal = best.optimal;
  if (impl_->options.marginals && !result.fractional) {
    result.marginals.assign(impl_->size, 0.0);
    AddLabellingFeatures(*impl_->structures.structure, result.labels, &result.marginals);
  }
  if (impl_->options.max_marginals) result.max_marginals = impl_->solver.MaxMarginals();
  return result;
}

double Inference::Score(std::span<const double> scores, const Labelling& labels) {
  RequireLabelling(impl_->graph(), labels);
  impl_->SetScores(scores);
  return impl_->solver.ScoreOf(labels);
}

InferResult Infer(const Graph& graph, std::span<const double> scores, const InferOptions& options) {
  return Inference(graph, options).Infer(scores);
}

std::vector<InferResult> InferBatch(const Graph& graph, std::span<const double> scores,
                                    const InferOptions& options) {
  const std::size_t size = ScoreLayout(graph).size();
  SLACKLINE_CHECK(size == 0 ? scores.empty() : scores.size() % size == 0,
                  std::to_string(scores.size()) + " scores are not a whole number of rows of " +
                      std::to_string(size));
  std::vector<GraphScores> batch;
  for (std::size_t at = 0; at < scores.size(); at += size)
    batch.push_back({graph, scores.subspan(at, size)});
  return InferBatch(batch, options);
}

std::vector<InferResult> InferBatch(std::span<const GraphScores> batch,
                                    const InferOptions& options) {
  ScoreSolver::Require(options);
  SLACKLINE_CHECK(options.threads >= 0, "the number of threads must not be negative");
  std::vector<InferResult> results(batch.size());
  const int threads = internal::NumThreads(options.threads);
  const internal::DeadlineOrFlag stop(options.time_limit_seconds, options.interrupt);
  struct Worker {
    const GraphImpl* graph = nullptr;
    std::unique_ptr<Inference> inference;
  };
  std::vector<Worker> workers(threads);
  const auto work = [&](const internal::Chunk& chunk) {
    Worker& worker = workers[chunk.thread];
    for (int k = chunk.begin; k < chunk.end; ++k) {
      const GraphScores& problem = batch[k];
      if (worker.graph != problem.graph.impl().get()) {
        worker.inference = std::make_unique<Inference>(problem.graph, options);
        worker.inference->impl_->shared_stop = &stop;
        worker.graph = problem.graph.impl().get();
      }
      try {
        results[k] = worker.inference->Infer(problem.scores);
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("row " + std::to_string(k) + ": " + error.what());
      } catch (const std::runtime_error& error) {
        throw std::runtime_error("row " + std::to_string(k) + ": " + error.what());
      }
    }
  };
  internal::ParallelChunks(static_cast<int>(batch.size()), kChunks, threads, work);
  return results;
}

std::vector<double> LabellingFeatures(const Graph& graph, const Labelling& labels) {
  const internal::Structure& structure = *graph.impl()->structure;
  RequireLabelling(structure.graph(), labels);
  std::vector<double> features(ScoreLayout(graph).size(), 0.0);
  AddLabellingFeatures(structure, labels, &features);
  return features;
}

}  // namespace v1
}  // namespace slackline
