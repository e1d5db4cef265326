// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers distinct texts; each text is stored once, in one arena.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// A 64-bit hash of a text, the same on all machines and in all versions, because model files rely
/// on it. FNV-1a (offset basis 14695981039346656037, prime 1099511628211, bytes in order), followed
/// by the final mix of MurmurHash3 (h ^= h >> 33; h *= 0xff51afd7ed558ccd; h ^= h >> 33; h *=
/// 0xc4ceb9fe1a85ec53; h ^= h >> 33).
std::uint64_t HashText(std::string_view text);

/// Numbers texts from 0 in the order in which they are added. A text may be any sequence of bytes,
/// including the empty one. Memory per text: its bytes and 24 to 40 more. Several threads may read
/// at once.
class StringTable {
 public:
  /// The number of the text; adds the text if it is new. Throws std::invalid_argument beyond 2^31 −
  /// 2 texts.
  Index Add(std::string_view text);
  /// The number of the text, or kAbsent.
  Index Find(std::string_view text) const;
  /// Text number i < size(); valid until the next Add.
  std::string_view text(Index i) const {
    return {arena_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }
  Index size() const { return static_cast<Index>(begin_.size() - 1); }

 private:
  struct Slot {
    std::uint32_t hash = 0;  // the half of the hash that does not choose the slot
    Index number = kAbsent;
  };
  std::size_t Probe(std::string_view text, std::uint64_t hash) const;
  void Grow();

  std::string arena_;
  std::vector<std::size_t> begin_{0};  // text i is arena_[begin_[i], begin_[i + 1])
  std::vector<Slot> slots_;            // open addressing; a power of two, at most half full
};

/// The texts of all ranks, in the order of the ranks. All ranks must call it.
StringTable JoinTexts(Ranks& ranks, const StringTable& mine);

}  // namespace slackline::internal
