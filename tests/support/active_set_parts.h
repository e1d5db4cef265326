// SPDX-License-Identifier: BSD-3-Clause
//
// Engines on active sets with exact oracles on small problems, and reference values by enumeration.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <slackline/learning/example_blocks/active_set_blocks.h>

#include "tests/support/dense_labellings.h"
#include "tests/support/multilabel_problems.h"
#include "tests/support/plain_dual.h"
#include "tests/support/random_problems.h"
#include "tests/support/states.h"
#include "tests/support/tolerances.h"

namespace slackline::internal::test {

/// max_y H_m(y; w) by enumeration.
inline double Hinge(const Problem& problem, Index m, std::span<const double> weights) {
  const ExampleView example = problem.data().example(m);
  return LargestScore(DenseLabellings(problem, m), AsVector(weights)) -
         DenseFeaturesOf(example, example.labels()).dot(AsVector(weights));
}

inline bool Same(const PlainDual::Corner& a, const PlainDual::Corner& b) {
  return std::abs(a.loss - b.loss) <= kTight && (a.psi - b.psi).lpNorm<Eigen::Infinity>() <= kTight;
}

inline std::vector<PlainDual::Corner>::iterator FindCorner(std::vector<PlainDual::Corner>& corners,
                                                           const PlainDual::Corner& corner) {
  return std::ranges::find_if(corners,
                              [&](const PlainDual::Corner& other) { return Same(other, corner); });
}

/// Problems with every kind of features in turn: one input vector or several, untied and tied
/// weights, potentials.
inline TrainingSet SmallProblem(Random& random, int trial) {
  if (trial % 4 == 0) return RandomMultiLabelProblem(random, 4, 4, 3, false);
  ProblemOptions shape = RandomOptions(random);
  shape.zero_features = false;
  shape.inputs = trial % 4 == 1 ? InputKind::kSparse : InputKind::kDense;
  shape.tied_weights = trial % 4 != 3;
  shape.num_variables = std::max<Index>(2, shape.num_variables);
  return RandomProblem(random, shape);
}

inline SolverKind ExactOracle(int trial) {
  return trial % 4 == 0 ? SolverKind::kRoof : SolverKind::kBruteForce;
}

struct Parts {
  Parts(const TrainingSet& training, double lambda, SolverKind kind, StepKind step,
        AverageKind average = AverageKind::kOff)
      : problem(training, lambda),
        oracle(problem, {.solver = kind}),
        blocks(problem, &oracle, step, {average}) {}

  void Pass(bool ask) {
    for (Index m = 0; m < problem.size(); ++m) blocks.Visit(m, ask);
  }
  std::string State() {
    StateWriter writer;
    SaveState(oracle, &writer);
    SaveState(blocks, &writer);
    return writer.bytes();
  }

  Problem problem;
  ExampleOracle oracle;
  ActiveSetBlocks blocks;
};

inline double HingeBound(const ActiveSetBlocks& blocks, Index m, std::span<const double> weights,
                         SolverKind kind, const ActiveSetBlocks::CheckCopy* copy = nullptr) {
  ExampleOracle checker(blocks.problem(),
                        {.solver = kind, .effort = ExampleOracle::Effort::kChecking});
  checker.Refresh();
  ActiveSetBlocks::CheckScratch scratch;
  return blocks.HingeBound(m, weights, &checker, &scratch, copy);
}

}  // namespace slackline::internal::test
