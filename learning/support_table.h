// SPDX-License-Identifier: BSD-3-Clause
//
// What every way to train supports. MakeLearner (and with it Train and the command line),
// docs/reference/learners.md and the tests read this table.
//
// A way is a variant of a learner: the learner together with options that change its needs
// (learner_record.h). A way or an oracle *needs* something of every structure; a structure has
// *traits*, and some traits rule a need out:
//
//   way or oracle  --needs-->  Need  <--ruled out by--  Trait  <--has--  structure
//
// In addition, the loss 1 − F1 needs structures that its oracle supports (count_loss_oracle.h).
// Unlabelled variables, several structures, and user-defined losses suit every way: unlabelled
// variables are left out of training examples (core/loss.h), and learners see structures and losses
// only through Problem.
#pragma once

#include <string>
#include <vector>

#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// Properties of a structure, or of its problem, that some ways do not support.
enum class Trait {
  kFactors,  ///< a factor of any kind, global ones included
  kCycles,   ///< a cycle of variables and factors with tables
  /// A variable with more than two states, or a factor over more than two variables.
  kNotBinaryPairs,
  kGlobals,         ///< global factors
  kCoupledGlobals,  ///< global factors that share variables or stand beside factors with tables
  /// Joint states that factors forbid, beyond those with forbidden states of variables; any
  /// forbidden states beside global factors.
  kForbiddenStates,
  kManyCoupled,     ///< coupled globals with more than kMaxSlackLabellings labellings
  kHugeLabellings,  ///< more than kMaxLabellings
  kNoInputs,        ///< no input vectors: all features are scalars
  kCountLoss,       ///< the loss 1 − F1, not a sum over variables: a trait of the problem
  kUnsignedPairs,   ///< factors that no signs of weights make associative (sign_constraints.h)
};
inline constexpr Trait kAllTraits[] = {
    Trait::kFactors,        Trait::kCycles,          Trait::kNotBinaryPairs, Trait::kGlobals,
    Trait::kCoupledGlobals, Trait::kForbiddenStates, Trait::kManyCoupled,    Trait::kHugeLabellings,
    Trait::kNoInputs,       Trait::kCountLoss,       Trait::kUnsignedPairs};

/// Sets of traits.
using TraitSet = unsigned;
constexpr TraitSet Bit(Trait trait) { return 1U << static_cast<unsigned>(trait); }

/// A learner together with one of its variants.
struct Way {
  LearnerKind learner;
  LearnerVariant variant;
};
/// All ways, in the order of the registry; of a learner, the most special one first.
std::vector<Way> Ways();
/// The way of these options, whose learner and step must be chosen (ChooseLearner), not `auto`.
Way WayOf(const TrainOptions& options);

/// The needs of an oracle, in addition to those of the learner; none for kAuto.
NeedSet NeedsOf(SolverKind oracle);
/// The needs that a trait rules out.
NeedSet RuledOutBy(Trait trait);
/// Whether a way supports structures with the trait if the oracle suits them.
bool Supports(const Way& way, Trait trait);

/// The traits of the structure itself, that is all but kCountLoss, and but kUnsignedPairs, which
/// takes longer and is asked for where signs are constrained. Time linear in the size of the
/// structure: labellings are counted without being enumerated.
TraitSet TraitsOf(const Structure& structure);

/// Why the options cannot train the problem, and what the user can do instead; empty when they can.
/// The learner must be chosen (ChooseLearner). With --oracle auto each structure gets an oracle of
/// its own (AutomaticSolver). Resources, such as memory for a kernel matrix, are not checked here.
std::string Unsupported(const Problem& problem, const TrainOptions& options);

}  // namespace slackline::internal
