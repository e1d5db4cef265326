// SPDX-License-Identifier: BSD-3-Clause
//
// A race between three ways to the same optimum, of which the fastest makes the passes: steps on
// single examples (example blocks, active_set_learner.h), planes of the whole training set
// (joint_planes.h), and, for multi-label models, steps on factor blocks with multipliers
// (augmented_lagrangian.h).
//
// The data decide which way is fastest, and the ways differ by orders of magnitude. Where examples
// use different weights, a step on one example hardly disturbs the others, and a pass over all
// examples achieves as much as hundreds of planes. Where many examples share few weights, where one
// direction of features is far longer than the others, or where λ is tiny, such steps undo each
// other, while the quadratic program over a few dozen planes treats all examples at once. Factor
// blocks need more passes than example blocks, but their passes are sweeps over memory, without an
// oracle. Factor blocks are ahead where the oracle is expensive: with many labels, most of which
// roof duality leaves undecided.
//
// Example blocks begin. The curve of their gap over counted work (array entries touched, oracles
// included; never seconds, so that runs replay) is extrapolated to the work that remains. Another
// way gets a trial only if the remaining work exceeds the expected work of that way, which follows
// for planes from the number of weights and for factor blocks from the work of their passes. Planes
// take over the active sets, and thus all answers of the oracle, and the weights. Factor blocks
// begin anew; their gap is known only from checks. After a trial the way with the least remaining
// work makes the passes. The other ways keep their state, and are tried again when they have had
// less than a share of the work. The best bounds of all ways make the certificate, which is valid
// because all ways bound the same optimum.
//
// Memory: the sum over the ways, each from its trial on.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Throws DataError when the oracle of the options does not apply.
std::unique_ptr<Learner> MakeRaceLearner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
