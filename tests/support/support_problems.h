// SPDX-License-Identifier: BSD-3-Clause
//
// Small random training problems for each kind of structure that the support table tells apart,
// with data as unpleasant as files of users are: scales from 1e-6 to 1e6, duplicates,
// contradictions, empty label sets, one example, constant and zero features, unlabelled variables,
// losses of one's own.
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
  kFreeGlobals,      ///< global factors without weights, which nothing couples
  kWeightedGlobals,  ///< the same with weights
  kCoupledGlobals,   ///< global factors that share variables, or stand beside tables
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

/// At most 400 labellings in all.
TrainingSet UnpleasantProblem(Random& random, ProblemKind kind);

}  // namespace slackline::internal::test
