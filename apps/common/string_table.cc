// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/string_table.h>

#include <limits>
#include <span>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kFirstSlots = 64;

std::uint32_t Stored(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

std::uint64_t HashText(std::string_view text) {
  std::uint64_t h = 14695981039346656037u;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 33);
}

/// The slot of the text, or the free slot where the text belongs.
std::size_t StringTable::Probe(std::string_view wanted, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.number == kAbsent) return at;
    if (slot.hash == Stored(hash) && text(slot.number) == wanted) return at;
  }
}

Index StringTable::Find(std::string_view text) const {
  return slots_.empty() ? kAbsent : slots_[Probe(text, HashText(text))].number;
}

Index StringTable::Add(std::string_view text) {
  if (2 * begin_.size() > slots_.size()) Grow();
  const std::uint64_t hash = HashText(text);
  Slot& slot = slots_[Probe(text, hash)];
  if (slot.number == kAbsent) {
    SLACKLINE_CHECK(begin_.size() < std::numeric_limits<Index>::max(), "too many different texts");
    slot = {Stored(hash), size()};
    arena_.append(text);
    begin_.push_back(arena_.size());
  }
  return slot.number;
}

void StringTable::Grow() {
  slots_.assign(slots_.empty() ? kFirstSlots : 2 * slots_.size(), Slot{});
  const std::size_t mask = slots_.size() - 1;
  for (Index i = 0; i < size(); ++i) {
    const std::uint64_t hash = HashText(text(i));
    std::size_t at = hash & mask;
    while (slots_[at].number != kAbsent) at = (at + 1) & mask;  // no comparison: all texts differ
    slots_[at] = {Stored(hash), i};
  }
}

StringTable JoinTexts(Ranks& ranks, const StringTable& mine) {
  std::vector<std::size_t> lengths;
  std::string bytes;
  for (Index k = 0; k < mine.size(); ++k) {
    lengths.push_back(mine.text(k).size());
    bytes.append(mine.text(k));
  }
  lengths = ranks.Join(std::span<const std::size_t>(lengths));
  const std::vector<char> all = ranks.Join(std::span<const char>(bytes));
  StringTable joined;
  const char* next = all.data();
  for (const std::size_t length : lengths) {
    joined.Add({next, length});
    next += length;
  }
  return joined;
}

}  // namespace slackline::internal
