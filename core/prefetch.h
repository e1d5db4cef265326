// SPDX-License-Identifier: BSD-3-Clause
//
// Hints to the processor that data will be read soon. They change no result. Without them, loops
// that visit many small examples in random order wait for memory: about fifty cache lines a visit,
// one after the other.
#pragma once

#include <algorithm>
#include <cstddef>

namespace slackline::internal {

inline constexpr std::size_t kCacheLine = 64;  // bytes

/// Prefetches the cache line of an address, which need not be valid.
inline void Prefetch(const void* address) { __builtin_prefetch(address); }

/// Prefetches the first `most_lines` cache lines of `bytes` bytes; the processor itself fetches
/// what follows when the bytes are read in order.
inline void Prefetch(const void* begin, std::size_t bytes, std::size_t most_lines) {
  const char* const first = static_cast<const char*>(begin);
  const std::size_t end = std::min(bytes, most_lines * kCacheLine);
  for (std::size_t at = 0; at < end; at += kCacheLine) __builtin_prefetch(first + at);
  if (end > 0) __builtin_prefetch(first + end - 1);
}

}  // namespace slackline::internal
