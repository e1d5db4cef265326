// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <slackline/core/loss.h>
#include <slackline/core/random.h>

namespace slackline::internal::test {

/// A multi-label problem as the application makes them: binary labels, one dense input per example,
/// own rows per label, and pairs [both on] with own weights; all pairs (full) or a chain. Labels
/// depend on the inputs, with noise; the larger `threshold` (0: half of them), the fewer are on,
/// and the last feature is constant then.
TrainingSet RandomMultiLabelProblem(Random& random, Index num_examples, Index num_labels,
                                    Index num_features, bool full, double threshold = 0);

}  // namespace slackline::internal::test
