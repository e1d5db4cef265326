// SPDX-License-Identifier: BSD-3-Clause
//
// What `auto` does on large graphs with cycles: example blocks, whose corners are labellings found
// by message passing, and then the saddle point (pdhg.h) where they do not suffice.
//
// Labellings soon reach a gap of a few hundredths, and any gap where the relaxation is tight. Where
// it is not, their dual can at most reach the optimum of the exact problem, which lies below the
// optimum of the relaxed problem. Both learners bound the relaxed optimum, so the certificate takes
// the best bounds of both. With oracle messages-branch-and-bound, example blocks train on the exact
// problem; upper bounds then begin anew when the saddle point, which knows only the relaxed
// problem, takes over.
//
// After every check the curve of the certified gap over counted work (array entries touched; never
// seconds, so that runs replay) is extrapolated to the wanted gap. The saddle point takes over, for
// good, when the remaining work of the example blocks exceeds the work that it is expected to need,
// or when they have had a quarter of that work and need more than another eighth. It takes over the
// best dual point; weights and messages would not shorten its way.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

std::unique_ptr<Learner> MakeLabellingsFirstLearner(const Problem& problem,
                                                    const TrainOptions& options);

}  // namespace slackline::internal
