// SPDX-License-Identifier: BSD-3-Clause
//
// Training with a tighter LP relaxation (--tighten): the pairs along a cycle of three or four
// variables, and those across it, are one factor (JoinShortCycles, core/derived_structure.h). The
// optimum of the relaxed problem then lies between that of the exact one and that of the relaxation
// with pairs. Weights, coordinates and losses stay the same, so that every learner applies. With K
// states a factor over four variables has K⁴ joint states, where each of its four to six pairs has
// K². Active sets of factor blocks (`al`) hold few of them: on drawn grids they came to the gap
// where the saddle point (`pdhg`) and mixtures of labellings had not in fifty times the time.
#pragma once

#include <memory>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// The problem with larger factors. Throws DataError where there is nothing to join.
Problem Tightened(const Problem& problem);

/// The learner that the options name, on the tightened problem. Throws as Tightened and MakeLearner
/// do.
std::unique_ptr<Learner> MakeTightenedLearner(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
