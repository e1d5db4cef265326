// SPDX-License-Identifier: BSD-3-Clause
//
// Prediction for structures with global factors (core/global_factor.h), which solvers over tables
// (map_solver.h) do not support.
//
// Source: dual decomposition, as in Komodakis, Paragios, Tziritas, "MRF energy minimization and
// beyond via dual decomposition", PAMI 2011, and for language Koo, Rush, Collins, Jaakkola, Sontag
// (EMNLP 2010). One slave problem has all variables and tables, and is solved by the MapSolver that
// fits them; every global factor is another slave problem:
//
//   L(δ) = max_μ [ Σ_i (θ_i + Σ_g δ_gi)·μ_i + Σ_c θ_c·μ_c ] + Σ_g max_y [ w·φ_g(y) − Σ_i δ_gi(y_i)
//   ]
//        ≥ the score of the best labelling
//
//   symbol  here                              shape
//   δ_gi    messages_                         states of all global scopes, one after the other
//   v       μ_i − [y_g at i], a subgradient   the same
//
// δ −= γ (L − best value found) / ‖v‖² · v (Polyak's step; γ is halved when L has not fallen for
// some iterations). All slaves give candidate labellings. Local search improves the candidates,
// over single variables and over whole global factors (by their oracles, with all other parts
// fixed). If there are few labellings, all are enumerated instead. If nothing couples the global
// factors (global_solver.h), their oracles alone are exact.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal {

struct GlobalDecodeOptions {
  Index max_iterations = 200;
  /// Gap between bound and best labelling, relative to 1 + |value|, at which iterations end.
  double tolerance = 1e-9;
  /// Largest number of labellings that are enumerated, which is exact. 0: never; the bound is then
  /// that of the relaxation.
  Offset enumerate = 1 << 12;
};

/// Decodes examples of one structure. Keeps work space and counts: one object per thread.
class GlobalDecoder {
 public:
  /// Throws DataError when tables of the structure have forbidden states. Global factors may forbid
  /// states.
  explicit GlobalDecoder(std::shared_ptr<const Structure> structure,
                         const GlobalDecodeOptions& options = {});

  /// scores: graph().total_states() finite scores of the tables, which may include losses. weights:
  /// the weight vector, of which only the weights of global factors are read. `result->labels` is a
  /// labelling with score result->value; upper_bound is certified for all labellings, and exact
  /// says whether value and bound agree (within 1e-9 relative, or the tolerance if that is larger).
  /// value is −∞ when no found labelling is allowed by all global factors.
  void Decode(std::span<const double> scores, std::span<const double> weights, MapResult* result);
  /// The same with w·φ of the example as scores.
  void Decode(const ExampleView& example, std::span<const double> weights, MapResult* result);

  /// Σ_a θ_a(y_a) + Σ_g w·φ_g(y_g); −∞ when a global factor forbids it.
  double Score(std::span<const double> scores, std::span<const double> weights,
               std::span<const Index> labels) const;

  /// Improves `labels` by local search until no move gains, or after 100 sweeps. Returns the score,
  /// which is not lower than that of the given labels.
  double Improve(std::span<const double> scores, std::span<const double> weights,
                 std::span<Index> labels);

  /// As MapSolver::SetStop; one round of oracle calls of the global factors may still follow.
  void SetStop(const StopCondition* stop);

  Index num_decoded() const { return num_decoded_; }
  /// Number of labellings that are known to be optimal.
  Index num_certified() const { return num_certified_; }

 private:
  std::span<const double> LocalWeights(Index g, std::span<const double> weights) const;
  double GlobalScore(Index g, std::span<const double> weights, std::span<const Index> labels) const;
  void Enumerate(std::span<const double> scores, std::span<const double> weights,
                 MapResult* result);
  double SolveSlaves(std::span<const double> scores, std::span<const double> weights);
  double Subgradient();
  void Overlay(Index g, std::span<const Index> states, std::span<Index> labels) const;
  void Consider(std::span<const double> scores, std::span<const double> weights, bool improve,
                MapResult* result);
  void Candidate(std::span<const double> scores, std::span<const double> weights, bool improve,
                 MapResult* result);
  void ConditionalScores(Index i, std::span<const double> scores, std::span<const double> weights,
                         Index without, std::span<Index> labels, double* out) const;
  bool MoveVariable(Index i, std::span<const double> scores, std::span<const double> weights,
                    std::span<Index> labels);
  bool MoveGlobal(Index g, std::span<const double> scores, std::span<const double> weights,
                  std::span<Index> labels);

  std::shared_ptr<const Structure> structure_;
  GlobalDecodeOptions options_;
  const StopCondition* stop_ = nullptr;
  std::shared_ptr<const FactorGraph> tables_;  // the graph without its global factors
  std::unique_ptr<MapSolver> solver_;
  std::unique_ptr<MapSolver> exact_;            // null if something couples the global factors
  std::vector<std::vector<Index>> globals_of_;  // per variable: its global factors
  std::vector<Offset> begin_;  // begins of the global factors in messages_, and the end
  bool enumerates_ = false;

  std::vector<double> messages_;
  std::vector<double> slave_scores_;
  MapResult slave_;
  WarmStart warm_;
  std::vector<std::vector<Index>> states_;  // per global factor: its slave's solution
  std::vector<double> v_;
  std::vector<Index> labels_;
  std::vector<std::vector<Index>> seen_;  // labellings that were candidates in this call
  std::vector<double> own_scores_;
  Index num_decoded_ = 0;
  Index num_certified_ = 0;
};

}  // namespace slackline::internal
