// SPDX-License-Identifier: BSD-3-Clause
//
// All learners, by name. Those of the library are listed in learner_registry.cc, one line each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <slackline/learning/learner_record.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

/// In the order of help texts, without `auto`.
std::span<const LearnerRecord* const> Learners();
/// Null when there is none with this name, and for `auto`.
const LearnerRecord* FindLearner(LearnerKind learner);
/// Throws std::invalid_argument instead.
const LearnerRecord& RecordOf(LearnerKind learner);

/// Adds a learner after the others; the record stays valid for ever. Throws std::invalid_argument
/// when its name is taken or the record is incomplete, or one of its options has the name of
/// another. To be called before other threads use the registry, and before anybody keeps what
/// OptionRecords() returned.
void RegisterLearner(const LearnerRecord& record);

/// Whether a run of the learner asks an oracle for the best labelling of a whole example; whether
/// it asks for expectations over whole labellings; whether it works on kernels alone. False for
/// `auto`.
bool UsesOracle(LearnerKind learner);
bool UsesMarginals(LearnerKind learner);
bool IsKernelized(LearnerKind learner);

/// Sets of learners: bit k is that of Learners()[k]. `auto` is the set that it chooses from.
using LearnerSet = std::uint64_t;
LearnerSet SetOf(LearnerKind learner);
/// The learners that read the option when it has this value; all ones where everybody does.
LearnerSet ReadersOf(const OptionRecord& option, std::string_view value);
/// The learners whose steps, or orders, `--step` and `--order` choose.
LearnerSet ReadersOfSteps();
LearnerSet ReadersOfOrders();
/// The learners with these names, which have blanks between them.
LearnerSet NamedLearners(std::string_view names);
/// "al or soft"
std::string LearnerNames(LearnerSet set);

}  // namespace slackline::internal
