// SPDX-License-Identifier: BSD-3-Clause
//
// Three ways to the same optimum, and the fastest one makes the passes: steps on single examples
// (active_set_learner.h), planes of the whole training set (joint_planes.h), and, for multi-label
// models with cycles, steps on factor blocks with multipliers (augmented_lagrangian.h).
//
// Which is faster is a matter of the data, and of orders of magnitude. Where examples see different
// weights, a step on one of them hardly disturbs the others, and a pass over all of them does as
// much as hundreds of planes. Where many examples pull at few weights, where one direction of
// features is far longer than the others, or where λ is tiny, such steps undo each other, and the
// quadratic program over a few dozen planes sees at once what they find out one after the other.
// Factor blocks need more passes than example blocks, but theirs are sweeps over memory, without an
// oracle. They are ahead where the oracle is dear: many labels, most of them undecided by roof
// duality.
//
// Example blocks begin. From the curve of their gap over counted work (array entries touched,
// oracles included: never seconds, so that runs replay) follows what is still to be done, if it
// goes on like that. Another way has a trial only if that is more than it is expected to take:
// planes by the number of weights, factor blocks by the work of their passes. Planes take over the
// active sets, so that all answers of the oracle are theirs as well, and the certified weights.
// Factor blocks begin anew; their gap is known from checks alone. From then on the way with the
// least to do makes the passes; the others wait as they are, and are tried again when they have had
// less than a share of the work. Bounds of all count: any primal bound and any dual bound of the
// same problem make a certificate.
//
// Certificate: those of the ways. Memory: that of all of them, each from its trial on.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Throws DataError when the oracle of the options does not apply.
std::unique_ptr<Learner> MakeRaceLearner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
