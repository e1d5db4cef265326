// SPDX-License-Identifier: BSD-3-Clause
//
// Which labellings of an example an update looks at besides the oracle's (IMPORTANCESAMPLE of
// Branson, Beijbom, Belongie, CVPR 2013, supplement, Algorithm 1).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <slackline/core/dataset.h>
#include <slackline/core/random.h>
#include <slackline/inference/map_solver.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

using Labelling = std::vector<Index>;

/// User samplers derive from this class. What a sampler gives must depend on its arguments alone:
/// it may keep work space, but nothing else between calls.
class LabellingSampler {
 public:
  virtual ~LabellingSampler() = default;
  /// The weight vector of the calls that follow, for samplers that call global factors; must stay
  /// as it is during these.
  virtual void SetWeights(std::span<const double> weights) { static_cast<void>(weights); }
  /// Appends up to `count` labellings of example m, which may repeat each other. scores: the
  /// loss-augmented scores of all states of all parts (total_states of the graph; −∞ where
  /// forbidden). No labelling may have a forbidden state.
  virtual void Sample(Index m, const ExampleView& example, std::span<const double> scores,
                      Index count, Random* random, std::vector<Labelling>* labellings) = 0;
};

/// The best labellings where they can be listed: of single variables without factors, and of chains
/// (equal variables 0, 1, …, with pairs (i, i + 1) and no other factors; inference/k_best_chain.h).
/// Elsewhere the best labellings under scores with Gumbel noise on the states of variables, half as
/// wide as these scores range over a variable on average: one call of the solver each. Throws
/// DataError as MakeStructureSolver.
std::unique_ptr<LabellingSampler> MakeLabellingSampler(const Problem& problem, SolverKind kind);

}  // namespace slackline::internal
