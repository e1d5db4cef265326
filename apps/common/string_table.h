// SPDX-License-Identifier: BSD-3-Clause
//
// Different texts and their numbers, each text kept once in one arena.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// 64 bits of a text, the same on all machines and in all versions (models rely on it): FNV-1a
/// (offset basis 14695981039346656037, prime 1099511628211, bytes in order), then the final mix of
/// MurmurHash3 (h ^= h >> 33; h *= 0xff51afd7ed558ccd; h ^= h >> 33; h *= 0xc4ceb9fe1a85ec53; h ^=
/// h >> 33).
std::uint64_t HashText(std::string_view text);

/// Numbers texts from 0 in the order in which they are added, which is all that numbers depend on.
/// Any bytes are a text, none as well. Memory: the text, and 24 to 40 bytes for each. Reading is
/// safe from several threads.
class StringTable {
 public:
  /// The number of the text, which is added when it is new. Throws std::invalid_argument beyond
  /// 2^31 − 2 texts.
  Index Add(std::string_view text);
  /// The number of the text, or kAbsent.
  Index Find(std::string_view text) const;
  /// Text number i, i < size(); valid until the next Add.
  std::string_view text(Index i) const {
    return {arena_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }
  Index size() const { return static_cast<Index>(begin_.size() - 1); }

 private:
  struct Slot {
    std::uint32_t hash = 0;  // of the hash's two halves the one that does not choose the slot
    Index number = kAbsent;
  };
  std::size_t Probe(std::string_view text, std::uint64_t hash) const;
  void Grow();

  std::string arena_;
  std::vector<std::size_t> begin_{0};  // text i is arena_[begin_[i], begin_[i + 1])
  std::vector<Slot> slots_;  // open addressing; a power of two, at most half of them taken
};

}  // namespace slackline::internal
