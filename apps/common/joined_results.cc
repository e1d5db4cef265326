// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/joined_results.h>

#include <numeric>

namespace slackline::internal {

std::int64_t SumBefore(Ranks& ranks, std::int64_t mine) {
  const std::vector<std::int64_t> all = ranks.Gather(mine);
  return std::accumulate(all.begin(), all.begin() + ranks.rank(), std::int64_t{0});
}

}  // namespace slackline::internal
