// SPDX-License-Identifier: BSD-3-Clause
//
// All learners, by name. learner_registry.cc lists the learners of the library, one line each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

/// All learners in the order of help texts, without `auto`.
std::span<const LearnerRecord* const> Learners();
/// The record of a learner; null for an unknown name and for `auto`.
const LearnerRecord* FindLearner(LearnerKind learner);
/// The same, but throws std::invalid_argument instead of returning null.
const LearnerRecord& RecordOf(LearnerKind learner);

/// Adds a learner after the others; the record must stay valid until the program ends. Throws
/// std::invalid_argument when its name is taken, the record is incomplete, or one of its options
/// has the name of another option. To be called before other threads use the registry, and before
/// any caller keeps what OptionRecords() returned.
void RegisterLearner(const LearnerRecord& record);

/// Whether a run of the learner calls an oracle for the best labelling of a whole example; false
/// for `auto`.
bool UsesOracle(LearnerKind learner);
/// Whether a run of the learner computes marginals of whole examples; false for `auto`.
bool UsesMarginals(LearnerKind learner);
/// Whether the learner works only with kernels; false for `auto`.
bool IsKernelized(LearnerKind learner);

/// Sets of learners: bit k stands for Learners()[k].
using LearnerSet = std::uint64_t;
/// The set of this learner alone; for `auto`, the learners that `auto` chooses from.
LearnerSet SetOf(LearnerKind learner);
/// The learners that read the option when it has this value; all bits are set where every learner
/// does.
LearnerSet ReadersOf(const OptionRecord& option, std::string_view value);
/// The same for the values that not every learner reads, if there are any.
LearnerSet ReadersOf(const OptionRecord& option);
/// The learners that read `--step`.
LearnerSet ReadersOfSteps();
/// The learners that read `--order`.
LearnerSet ReadersOfOrders();
/// The learners that can train in shards, and so on several ranks.
LearnerSet ReadersOfShards();
/// Throws DataError where the learner saves no state (LearnerRecord::keeps_state), for an option
/// that needs it, such as "--checkpoint".
void RequireState(LearnerKind learner, std::string_view option);
/// The learners with these names, which are separated by blanks. Unknown names are ignored.
LearnerSet NamedLearners(std::string_view names);
/// The names of the set as a text, such as "al or soft".
std::string LearnerNames(LearnerSet set);

}  // namespace slackline::internal
