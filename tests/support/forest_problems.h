// SPDX-License-Identifier: BSD-3-Clause
//
// Small problems without cycles, for learners that need exact marginals.
#pragma once

#include "tests/support/multilabel_problems.h"
#include "tests/support/random_problems.h"

namespace slackline::internal::test {

/// In turn: chains of binary variables; trees of pairs; forests with triples and several kinds of
/// features; variables without factors; one example of one variable.
inline TrainingSet ForestProblem(Random& random, int trial) {
  if (trial % 5 == 0) return RandomMultiLabelProblem(random, 4, 4, 2, false);
  ProblemOptions options{.forest = true, .tied_weights = random.Below(2) == 0};
  if (trial % 5 == 1) {
    options.num_factors = 12;
  } else if (trial % 5 == 2) {
    options = RandomOptions(random);
    options.forest = true;
  } else if (trial % 5 == 3) {
    options.num_factors = 0;
    options.single_states = true;
    options.mixed_sizes = true;
  } else {
    options.num_examples = 1;
    options.num_variables = 1;
  }
  return RandomProblem(random, options);
}

}  // namespace slackline::internal::test
