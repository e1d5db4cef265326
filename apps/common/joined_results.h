// SPDX-License-Identifier: BSD-3-Clause
//
// Brings the results that several ranks have for their own examples together on rank 0. All ranks
// must call these functions. With one rank they cost nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <slackline/core/ranks.h>

namespace slackline::internal {

/// On rank 0 the items of all ranks, in the order of the ranks; on other ranks none. List: a vector
/// or string, whose items are trivially copyable.
template <class List>
List JoinOnFirst(Ranks& ranks, List mine) {
  using Item = typename List::value_type;
  static_assert(std::is_trivially_copyable_v<Item>);
  if (ranks.alone()) return mine;
  const std::vector<std::size_t> counts = ranks.Gather(mine.size());
  List all;
  std::vector<std::span<const std::byte>> to(counts.size());
  std::vector<std::span<std::byte>> from(counts.size());
  to[0] = std::as_bytes(std::span<const Item>(mine));
  if (ranks.first()) {
    all.resize(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
    Item* next = all.data();
    for (std::size_t r = 0; r < counts.size(); ++r) {
      from[r] = std::as_writable_bytes(std::span<Item>(next, counts[r]));
      next += counts[r];
    }
  }
  ranks.ExchangeBytes(to, from);
  return all;
}

/// The sum of the numbers of the ranks before this one.
std::int64_t SumBefore(Ranks& ranks, std::int64_t mine);

}  // namespace slackline::internal
