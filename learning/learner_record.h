// SPDX-License-Identifier: BSD-3-Clause
//
// What the program knows of a learner: one record, beside the learner's code. A new learner is its
// two files (the learner and its record), its test, and one line of learner_registry.cc. Command
// line, checks of options, help, the support table and `auto` read the records.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <slackline/learning/learner.h>
#include <slackline/learning/options.h>
#include <slackline/learning/problem.h>

namespace slackline::internal {

/// What a learner, or an oracle, needs of the structures of a problem. What rules it out stands in
/// support_table.h.
enum class Need {
  kExampleOracle,  ///< a maximum over whole examples
  kMarginals,      ///< exact marginals of whole examples
  kTables,         ///< a score of every joint state of every factor
  kEveryState,     ///< that every state may be used
  kFreeVariables,  ///< that nothing joins variables
  kEnumeration,    ///< few labellings
  kBruteForce,     ///< not too many labellings
  kNoCycles,       ///< dynamic programming
  kBinaryPairs,    ///< roof duality
  kNoGlobals,      ///< a solver that sees tables only
  kSomeGlobals,    ///< the solver of global factors
  kInputs,         ///< input vectors, which a kernel compares
  kSumLoss,        ///< a loss that is a sum over variables (core/loss.h)
};
using NeedSet = unsigned;
template <class... Needs>
constexpr NeedSet NeedsAll(Needs... needs) {
  return ((1U << static_cast<unsigned>(needs)) | ... | NeedSet{0});
}
/// Learners on oracles over whole examples, on marginals, on factors.
inline constexpr NeedSet kNeedsOracle = NeedsAll(Need::kExampleOracle);
inline constexpr NeedSet kNeedsMarginals = NeedsAll(Need::kSumLoss, Need::kMarginals);
inline constexpr NeedSet kNeedsFactors = NeedsAll(Need::kSumLoss, Need::kEveryState);

/// A learner with options that change what it needs.
struct LearnerVariant {
  /// Empty, or the options, as on the command line.
  std::string_view options = {};
  /// Whether the options of a run of the learner are these; null: always.
  bool (*applies)(const TrainOptions&) = nullptr;
  NeedSet needs = 0;
};

/// To be made with designated initialisers. Everything that it points to has static storage.
struct LearnerRecord {
  /// On the command line and in files: small letters, digits and hyphens.
  std::string_view name;
  /// One clause, for help texts.
  std::string_view summary;
  /// The heading of its section in docs/reference/learners.md.
  std::string_view section;

  /// Makes it for a problem that it supports and options that were checked. Throws DataError.
  std::unique_ptr<Learner> (*make)(const Problem&, const TrainOptions&);

  /// The most special variant first: the first one that applies is that of a run. The last one
  /// always applies.
  std::span<const LearnerVariant> variants;

  /// Which of the shared options with OptionRecord::by_learner it reads; blanks between the names.
  std::string_view reads = {};
  /// Its own options, in lists that several learners may share.
  std::span<const std::span<const OptionRecord>> options = {};
  /// What it does instead of reading --step and --order, to follow "learner NAME": "takes
  /// subgradient steps only". Empty: it reads them.
  std::string_view own_steps = {};
  std::string_view own_order = {};
  /// Whether inputs always meet each other through a kernel.
  bool kernelized = false;
  /// Throws DataError where options contradict each other that are read by it; may be null.
  void (*check)(const TrainOptions&) = nullptr;
};

}  // namespace slackline::internal
