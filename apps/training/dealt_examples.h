// SPDX-License-Identifier: BSD-3-Clause
//
// Training sets that are dealt to ranks: every rank has its own part (core/ranks.h).
#pragma once

#include <string>

#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// The examples of this rank from which a training set was made.
struct KeptExamples {
  std::string source;  ///< where the data come from, for messages
  std::string noun;    ///< the word that users know for an example, such as "sequence"
  std::string none;    ///< what is wrong where none are kept: "no sequence has a known label"
  Index kept = 0;
  Index skipped = 0;  ///< left out, because none of their labels are known
};

/// Throws DataError when no examples are kept. With several ranks, throws the same DataError on all
/// of them when no rank keeps any, or when some rank skips any: the borders between shards count
/// all examples of the data.
void RequireExamples(const KeptExamples& examples, Ranks& ranks);

}  // namespace slackline::internal
