// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/training/dealt_examples.h>

#include <cstdint>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>

namespace slackline::internal {

void RequireExamples(const KeptExamples& examples, Ranks& ranks) {
  const auto fail = [&](const std::string& message) {
    throw DataError(examples.source, 0, message);
  };
  if (ranks.alone()) {
    if (examples.kept == 0) fail(examples.none);
    return;
  }
  // The same numbers on all ranks, which throw the same.
  const std::int64_t kept = ranks.SumOf(examples.kept);
  const std::int64_t skipped = ranks.SumOf(examples.skipped);
  if (kept == 0) fail(examples.none);
  if (skipped > 0)
    fail(Count(skipped, examples.noun) +
         " without a known label: remove them, since several processes that train together cannot "
         "leave them out");
}

}  // namespace slackline::internal
