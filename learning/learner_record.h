// SPDX-License-Identifier: BSD-3-Clause
//
// What the program knows of a learner: one record, beside the learner's code. A new learner needs
// two files (the learner and its record), a test, and one line of learner_registry.cc. The command
// line, the checks of options, the help, the support table and `auto` read the records.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// What a learner or an oracle needs of the structures of a problem. support_table.h says which
/// traits of a structure rule a need out.
enum class Need {
  kExampleOracle,  ///< a maximum over whole examples
  kMarginals,      ///< exact marginals of whole examples
  kTables,         ///< a score of every joint state of every factor
  kEveryState,     ///< no forbidden states
  kFreeVariables,  ///< no factors between variables
  kSlackOracle,    ///< a maximum of loss times score over whole examples (slack_oracle.h)
  kBruteForce,     ///< at most kMaxLabellings labellings
  kNoCycles,       ///< no cycles: for dynamic programming
  kBinaryPairs,    ///< binary variables, factors over at most two: for roof duality
  kNoGlobals,      ///< no global factors: for solvers that see tables only
  kSomeGlobals,    ///< global factors: for their own solver
  kInputs,         ///< input vectors, which a kernel compares
  kSumLoss,        ///< a loss that is a sum over variables (core/loss.h)
  kSignedPairs,    ///< pairs that signs of weights make associative (sign_constraints.h)
};
using NeedSet = unsigned;
template <class... Needs>
constexpr NeedSet NeedsAll(Needs... needs) {
  return ((1U << static_cast<unsigned>(needs)) | ... | NeedSet{0});
}
/// Needs of the learners on oracles over whole examples, on marginals, and on factors.
inline constexpr NeedSet kNeedsOracle = NeedsAll(Need::kExampleOracle);
inline constexpr NeedSet kNeedsMarginals = NeedsAll(Need::kSumLoss, Need::kMarginals);
inline constexpr NeedSet kNeedsFactors = NeedsAll(Need::kSumLoss, Need::kEveryState);

/// A learner with options that change what it needs.
struct LearnerVariant {
  /// The options of the variant, as on the command line; may be empty.
  std::string_view options = {};
  /// Whether a run with these options is this variant; null: always.
  bool (*applies)(const TrainOptions&) = nullptr;
  NeedSet needs = 0;
};

/// The variant of learners with an oracle that train by slack rescaling, and all their variants
/// where the oracle is all that they need.
constexpr bool RescalesSlack(const TrainOptions& options) {
  return options.rescaling == Rescaling::kSlack;
}
inline constexpr LearnerVariant kSlackVariant = {.options = "--rescaling slack",
                                                 .applies = RescalesSlack,
                                                 .needs = NeedsAll(Need::kSlackOracle)};
inline constexpr LearnerVariant kOracleVariants[] = {kSlackVariant, {.needs = kNeedsOracle}};

/// The variant of learners that constrain the signs of weights of pairs.
constexpr bool IsAssociative(const TrainOptions& options) { return options.associative; }
inline constexpr LearnerVariant kAssociativeVariant = {
    .options = "--associative",
    .applies = IsAssociative,
    .needs = kNeedsOracle | NeedsAll(Need::kSignedPairs)};

/// The record of a learner, to be made with designated initialisers. Everything that it points to
/// has static storage.
struct LearnerRecord {
  /// Name on the command line and in files: lower-case letters, digits and hyphens.
  std::string_view name;
  /// One clause, for help texts.
  std::string_view summary;
  /// The heading of its section in docs/reference/learners.md.
  std::string_view section;

  /// Makes the learner for a problem that it supports and options that were checked. Throws
  /// DataError.
  std::unique_ptr<Learner> (*make)(const Problem&, const TrainOptions&);

  /// The variants, the most special first. A run is the first variant that applies to its options;
  /// the last one always applies.
  std::span<const LearnerVariant> variants;

  /// The shared options with OptionRecord::by_learner that the learner reads, separated by blanks.
  std::string_view reads = {};
  /// The learner's own options, in lists that several learners may share.
  std::span<const std::span<const OptionRecord>> options = {};
  /// What the learner does instead of reading --step and --order, as a text that follows "learner
  /// NAME", such as "takes subgradient steps only". Empty: the learner reads the option.
  std::string_view own_steps = {};
  std::string_view own_order = {};
  /// Whether the learner always compares inputs by a kernel.
  bool kernelized = false;
  /// Whether the learner describes its state (Learner::Archive), for checkpoints and warm starts.
  bool keeps_state = true;
  /// Throws DataError where options that the learner reads contradict each other; may be null.
  void (*check)(const TrainOptions&) = nullptr;
};

}  // namespace slackline::internal
