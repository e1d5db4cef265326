// SPDX-License-Identifier: BSD-3-Clause
//
// Small random training problems for each kind of structure that the support table distinguishes.
// The data are as unpleasant as real files: scales from 1e-6 to 1e6, duplicates, contradictions,
// empty label sets, one example, constant and zero features, unlabelled variables, user-defined
// losses.
#pragma once

#include <string_view>

#include <slackline/core/loss.h>
#include <slackline/core/random.h>

namespace slackline::internal::test {

enum class ProblemKind {
  kFreeVariables,  ///< no factors
  kForest,
  kBinaryCycles,     ///< binary variables and pairs
  kCycles,           ///< several states, triples
  kFreeGlobals,      ///< uncoupled global factors without weights
  kWeightedGlobals,  ///< uncoupled global factors with weights
  kCoupledGlobals,   ///< global factors that share variables or occur beside tables
  kForbiddenForest,  ///< forbidden states, no cycles
  kForbiddenCycles,
  kForbiddenGlobals,  ///< forbidden states beside global factors
  kScalars,           ///< no input vectors
};
inline constexpr ProblemKind kAllProblemKinds[] = {
    ProblemKind::kFreeVariables,    ProblemKind::kForest,          ProblemKind::kBinaryCycles,
    ProblemKind::kCycles,           ProblemKind::kFreeGlobals,     ProblemKind::kWeightedGlobals,
    ProblemKind::kCoupledGlobals,   ProblemKind::kForbiddenForest, ProblemKind::kForbiddenCycles,
    ProblemKind::kForbiddenGlobals, ProblemKind::kScalars};
std::string_view Name(ProblemKind kind);

/// A problem of the given kind with at most 400 labellings in all.
TrainingSet UnpleasantProblem(Random& random, ProblemKind kind);

}  // namespace slackline::internal::test
