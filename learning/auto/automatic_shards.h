// SPDX-License-Identifier: BSD-3-Clause
//
// How many shards a training takes if that is left to the program (--shards 0).
#pragma once

#include <slackline/learning/problem.h>

namespace slackline::internal {

/// As many shards as threads where the measurements in docs/notebook/shards.md say that these
/// shorten the training, fewer if their passes would be too short for rounds, and 1 where one chain
/// of steps is faster. Depends on the problem and the number of threads alone. Reads the lengths of
/// the inputs, but not the inputs. threads ≥ 1.
Index AutomaticShards(const Problem& problem, int threads);

}  // namespace slackline::internal
