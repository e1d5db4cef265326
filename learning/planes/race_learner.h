// SPDX-License-Identifier: BSD-3-Clause
//
// Two ways to the same optimum, and the faster one makes the passes: steps on single examples (corner_learner.h), and planes
// of the whole training set (joint_planes.h).
//
// Which is faster is a matter of the data, and of orders of magnitude. Where examples see different
// weights, a step on one of them hardly disturbs the others, and a pass over all of them does as much
// as hundreds of planes. Where many examples pull at few weights, where one direction of features is far
// longer than the others, or where λ is tiny, such steps undo each other, and the quadratic program
// over a few dozen planes sees at once what they find out one after the other.
//
// Example blocks begin. From the curve of their gap over counted work (array entries touched, oracles
// included: never seconds, so that runs replay) follows what is still to be done, if it goes on like
// that. Only if that is far more than what has been done, planes have a trial: they take over the kept
// labellings, so that all answers of the oracle are theirs as well, and the certified weights. From then
// on the way with less to do makes the passes; the other one waits as it is, and is tried again when
// it has had less than a share of the work. Bounds of both count: any primal bound and any dual bound of
// the same problem make a certificate.
//
// Certificate: those of the two ways. Memory: that of both, from the trial on.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline {

/// Throws DataError when the oracle of the options does not apply.
std::unique_ptr<Learner> MakeRaceLearner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline
