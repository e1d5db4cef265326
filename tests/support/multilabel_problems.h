// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <slackline/core/loss.h>
#include <slackline/core/random.h>
#include <slackline/learning/problem.h>

#include "tests/support/vectors.h"

namespace slackline::internal::test {

/// A multi-label problem as the application builds it: binary labels, one dense input per example,
/// own rows per label, and own weights for "both on" of each pair; the pairs are all pairs (full)
/// or those of a chain. Labels depend on the inputs, with noise. The larger `threshold` (0: half of
/// the labels are on), the fewer labels are on; a threshold other than 0 also makes the last
/// feature constant.
TrainingSet RandomMultiLabelProblem(Random& random, Index num_examples, Index num_labels,
                                    Index num_features, bool full, double threshold = 0);

/// The same with sparse inputs, as of texts: a constant and eight of `num_features` − 1 further
/// features, low numbers much more often than high ones. Pairs are those of a chain.
TrainingSet RandomTextProblem(Random& random, Index num_examples, Index num_labels,
                              Index num_features);

/// A problem whose weights are all frequent, and one with columns that are not. The latter needs
/// several parts in a round and several rounds in a pass.
inline Problem DenseProblem(Random& random, Index examples = 12) {
  return Problem(RandomMultiLabelProblem(random, examples, 4, 3, false), 0.02);
}
inline Problem TextProblem(Random& random, Index examples = 600, Index labels = 10) {
  return Problem(RandomTextProblem(random, examples, labels, 5 * examples), 1.0 / examples);
}

}  // namespace slackline::internal::test
