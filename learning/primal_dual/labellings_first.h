// SPDX-License-Identifier: BSD-3-Clause
//
// What `auto` does on large graphs with cycles: example blocks, whose corners are labellings found
// by message passing, and then the saddle point (pdhg.h) where they do not suffice.
//
// Labellings are quick to a gap of a few hundredths, and where the relaxation is tight they reach
// any gap. Where it is not, their dual can at most come to the optimum of the exact problem, which
// lies below that of the relaxed problem. Both bound the same optimum, so that the best bounds of
// both make the certificate. With oracle messages-branch-and-bound example blocks train on the
// exact problem; upper bounds then begin anew when the saddle point, which knows only the relaxed
// problem, takes over.
//
// The curve of the certified gap over counted work (array entries touched; never seconds, so
// that runs replay) is extrapolated to the wanted gap after every check. The saddle point takes
// over, for good, when the work that remains exceeds what it is expected to need, or when
// example blocks have had half of that and are not about to end. It takes over the best dual
// point; weights and messages would not shorten its way.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

std::unique_ptr<Learner> MakeLabellingsFirstLearner(const Problem& problem,
                                                    const TrainOptions& options);

}  // namespace slackline::internal
