// SPDX-License-Identifier: BSD-3-Clause
//
// Texts of several ranks. Each text belongs to one rank, its owner, which follows from its hash.
// All texts travel once, and no rank holds all of them. All ranks must call the same functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <slackline/apps/common/string_table.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

class TextExchange {
 public:
  /// Sends the texts of this rank to their owners.
  TextExchange(Ranks& ranks, const StringTable& mine);

  /// The different texts that belong to this rank.
  const StringTable& owned() const { return owned_; }
  /// The number in owned() of every text that came to this rank: first the texts of rank 0, then
  /// those of rank 1, and so on, each rank's texts in their order on that rank.
  std::span<const Index> arrived() const { return arrived_; }

  /// Sends one value for each text of this rank to its owner. Returns one per arrived text.
  template <class T>
  std::vector<T> ToOwners(std::span<const T> values) const {
    std::vector<T> ordered;
    for (const Index k : sent_) ordered.push_back(values[Size(k)]);
    return Exchange(std::span<const T>(ordered), sent_begin_, arrived_begin_);
  }
  /// Sends one value for each arrived text back. Returns one per text of this rank.
  template <class T>
  std::vector<T> FromOwners(std::span<const T> values) const {
    const std::vector<T> ordered = Exchange(values, arrived_begin_, sent_begin_);
    std::vector<T> result(ordered.size());
    for (std::size_t k = 0; k < ordered.size(); ++k) result[Size(sent_[k])] = ordered[k];
    return result;
  }

 private:
  /// The values begin[q] … begin[q + 1] − 1 are for rank q, or come from it.
  template <class T>
  std::vector<T> Exchange(std::span<const T> values, const std::vector<std::size_t>& to_begin,
                          const std::vector<std::size_t>& from_begin) const {
    std::vector<T> result(from_begin.back());
    std::vector<std::span<const std::byte>> to;
    std::vector<std::span<std::byte>> from;
    for (std::size_t q = 0; q + 1 < to_begin.size(); ++q) {
      to.push_back(std::as_bytes(values.subspan(to_begin[q], to_begin[q + 1] - to_begin[q])));
      from.push_back(std::as_writable_bytes(
          std::span(result).subspan(from_begin[q], from_begin[q + 1] - from_begin[q])));
    }
    ranks_.ExchangeBytes(to, from);
    return result;
  }
  /// Where the values for or from each rank begin, if sizes[q] of them belong to rank q.
  std::vector<std::size_t> BeginsOf(const std::vector<std::size_t>& sizes) const;

  Ranks& ranks_;
  std::vector<Index> sent_;  // numbers of the texts of this rank, by their owners
  std::vector<std::size_t> sent_begin_;
  std::vector<Index> arrived_;
  std::vector<std::size_t> arrived_begin_;
  StringTable owned_;
};

}  // namespace slackline::internal
