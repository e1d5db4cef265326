// SPDX-License-Identifier: BSD-3-Clause
//
// What every way to train supports: MakeLearner (and with it Train and the command line),
// docs/reference/learners.md and the tests go by it.
//
// A way is a learner with the options that change what it needs; the learners' records say so
// (learner_record.h). A way or an oracle *needs* something of every structure; a structure has
// *traits*, and some traits rule a need out:
//
//   way or oracle  --needs-->  Need  <--ruled out by--  Trait  <--has--  structure
//
// The loss 1 − F1 wants structures that its maximum knows besides (count_loss_oracle.h). Unlabelled
// variables, several structures, and other losses of one's own suit every way: unlabelled variables
// are left out of training examples (core/loss.h), and learners see structures and losses through
// Problem only.
#pragma once

#include <string>
#include <vector>

#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// What a structure, or its problem, may have that some ways cannot deal with.
enum class Trait {
  kFactors,  ///< a factor of any kind, global ones included
  kCycles,   ///< a cycle of variables and factors with tables
  /// a variable with more than two states, or a factor over more than two variables
  kNotBinaryPairs,
  kGlobals,          ///< global factors
  kCoupledGlobals,   ///< … that share variables, or stand beside factors with tables
  kForbiddenStates,  ///< states of variables or of factors with tables that no labelling may use
  kManyLabellings,   ///< more than kMaxSlackLabellings
  kHugeLabellings,   ///< more than kMaxLabellings
  kNoInputs,         ///< no input vectors: all features are scalars
  kCountLoss,  ///< a loss that is no sum over variables, 1 − F1: of the problem, not of a structure
};
inline constexpr Trait kAllTraits[] = {
    Trait::kFactors,        Trait::kCycles,          Trait::kNotBinaryPairs, Trait::kGlobals,
    Trait::kCoupledGlobals, Trait::kForbiddenStates, Trait::kManyLabellings, Trait::kHugeLabellings,
    Trait::kNoInputs,       Trait::kCountLoss};

/// Sets of traits.
using TraitSet = unsigned;
constexpr TraitSet Bit(Trait trait) { return 1U << static_cast<unsigned>(trait); }

/// A variant of a learner.
struct Way {
  LearnerKind learner;
  LearnerVariant variant;
};
/// All ways, in the order of the registry, a learner's most special one first.
std::vector<Way> Ways();
/// The way of options whose learner and step are chosen (ChooseLearner). Requires another learner
/// than auto.
Way WayOf(const TrainOptions& options);

/// What an oracle needs besides (kAuto: of no structure).
NeedSet NeedsOf(SolverKind oracle);
/// The needs that a trait rules out.
NeedSet RuledOutBy(Trait trait);
/// Whether a way supports structures with the trait, with the oracle that suits best.
bool Supports(const Way& way, Trait trait);

/// Of the structure itself, without kCountLoss. O(structure); at most kMaxLabellings labellings are
/// counted, not visited.
TraitSet TraitsOf(const Structure& structure);

/// Why the options cannot train the problem, and what would; empty when they can. The options'
/// learner must be chosen (ChooseLearner). With --oracle auto each structure gets its own
/// (AutomaticSolver). Resources, such as memory for a kernel matrix, are looked at where they are
/// used.
std::string Unsupported(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
