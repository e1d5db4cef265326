// SPDX-License-Identifier: BSD-3-Clause
//
// Samplers of the labellings that an update uses besides the oracle's (IMPORTANCESAMPLE of Branson,
// Beijbom, Belongie, CVPR 2013, supplement, Algorithm 1).
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

/// User samplers derive from this class. The labellings must depend on the arguments alone: a
/// sampler may keep work space, but nothing else between calls.
class LabellingSampler {
 public:
  virtual ~LabellingSampler() = default;
  /// Sets the weight vector for the calls that follow, for samplers that call global factors. The
  /// vector must not change during these calls.
  virtual void SetWeights(std::span<const double> weights) { static_cast<void>(weights); }
  /// Appends up to `count` labellings of example m, which may repeat each other. scores: the
  /// loss-augmented scores of all states of all parts (total_states of the graph; −∞ where
  /// forbidden). No labelling may have a forbidden state.
  virtual void Sample(Index m, const ExampleView& example, std::span<const double> scores,
                      Index count, Random* random, std::vector<Labelling>* labellings) = 0;
};

/// A sampler of the best labellings on graphs that allow to list them: single variables without
/// factors, and chains (equal variables 0, 1, …, with pairs (i, i + 1) and no other factors;
/// inference/k_best_chain.h). On other graphs every labelling is the best one under scores with
/// Gumbel noise on the states of variables, and takes one call of the solver. The scale of the
/// noise is half the mean range of a variable's scores, or a fiftieth of this range on graphs with
/// global factors (matchings). Throws DataError as MakeStructureSolver does.
std::unique_ptr<LabellingSampler> MakeLabellingSampler(const Problem& problem, SolverKind kind);

}  // namespace slackline::internal
