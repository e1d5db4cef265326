// SPDX-License-Identifier: BSD-3-Clause
//
// The processes that train one model together, each with some of the examples. Ranks are numbered
// from 0; all of them call the same functions in the same order, and functions wait for other
// ranks. All ranks get the same bits: a sum is either of whole numbers, or every rank makes it from
// the numbers of all ranks, in the order of the ranks.
//
// The processes are those of an MPI program (mpi_ranks.h), or one process alone (OneRank).
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/types.h>

namespace slackline::internal {

class Ranks {
 public:
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int size() const = 0;
  virtual int rank() const = 0;
  bool alone() const { return size() == 1; }
  bool first() const { return rank() == 0; }
  /// How many of the ranks, this one included, run on the machine of this rank and share its
  /// memory.
  virtual int ranks_on_this_machine() const { return 1; }
  /// The name of this machine where the ranks run on several; otherwise empty.
  virtual std::string machine() const { return {}; }

  /// Gives the bytes of all ranks to all ranks. Rank r gives lengths[r] bytes; all ranks know all
  /// lengths. *all: the sum of the lengths, in the order of the ranks; `mine` may lie there
  /// already, in its place.
  virtual void GatherBytes(std::span<const std::byte> mine, std::span<const std::size_t> lengths,
                           std::byte* all) = 0;
  /// Gives the bytes to[q] to rank q, and writes the bytes that rank q gives this rank to from[q],
  /// which must have their length.
  virtual void ExchangeBytes(std::span<const std::span<const std::byte>> to,
                             std::span<const std::span<std::byte>> from) = 0;
  /// Rank 0 gives these bytes to all ranks.
  virtual void Broadcast(std::span<std::byte> bytes) = 0;

  /// One value of every rank, in the order of the ranks.
  template <class T>
  std::vector<T> Gather(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(Size(size()));
    const std::vector<std::size_t> lengths(all.size(), sizeof(T));
    GatherBytes(std::as_bytes(std::span(&mine, 1)), lengths,
                std::as_writable_bytes(std::span(all)).data());
    return all;
  }
  /// Lists of any length, joined in the order of the ranks.
  template <class T>
  std::vector<T> Join(std::span<const T> mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::vector<std::size_t> lengths = Gather(mine.size_bytes());
    std::vector<T> all(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}) / sizeof(T));
    GatherBytes(std::as_bytes(mine), lengths, std::as_writable_bytes(std::span(all)).data());
    return all;
  }
  /// The texts of all ranks, in the order of the ranks.
  std::vector<std::string> GatherTexts(std::string_view mine);
  /// The first of these texts that is not empty; empty where all are.
  std::string FirstText(std::string_view mine);

  /// Sum and maximum of one whole number of every rank.
  std::int64_t SumOf(std::int64_t mine);
  std::int64_t MaxOf(std::int64_t mine);
  /// The sum of real numbers, in the order of the ranks.
  double SumOfReals(double mine);
  /// Replaces every number by its sum over all ranks, which have equally many.
  void AddUp(std::span<std::int64_t> numbers);
  /// Whether `mine` is true on some rank.
  bool Any(bool mine) { return MaxOf(mine ? 1 : 0) != 0; }

  /// Sends the value of rank 0 to all ranks.
  template <class T>
  void TakeFromFirst(T* value) {
    static_assert(std::is_trivially_copyable_v<T>);
    Broadcast(std::as_writable_bytes(std::span(value, 1)));
  }

  /// The range of numbers that this rank, or rank r, gets when `count` things are dealt in nearly
  /// equal, consecutive pieces.
  struct Piece {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t size() const { return end - begin; }
  };
  Piece PieceOf(std::int64_t count, int r) const {
    return {count * r / size(), count * (r + 1) / size()};
  }
  Piece PieceOf(std::int64_t count) const { return PieceOf(count, rank()); }
  /// Gives all ranks the whole of an array, of which every rank has its own piece.
  template <class T>
  void GatherPieces(std::span<T> values) {
    std::vector<std::size_t> lengths;
    const auto count = static_cast<std::int64_t>(values.size());
    for (int r = 0; r < size(); ++r) lengths.push_back(Size(PieceOf(count, r).size()) * sizeof(T));
    const Piece mine = PieceOf(count);
    GatherBytes(std::as_bytes(values.subspan(Size(mine.begin), Size(mine.size()))), lengths,
                std::as_writable_bytes(values).data());
  }

 protected:
  Ranks() = default;
};

/// This process alone.
Ranks& OneRank();
/// These ranks; null stands for this process alone.
inline Ranks& RanksOrOne(Ranks* ranks) { return ranks != nullptr ? *ranks : OneRank(); }

/// Throws the DataError of the first rank that has one on all ranks, as OnAllRanks does. error: the
/// message of this rank's error; empty: none.
void ThrowFirstError(Ranks& ranks, const std::string& error);

/// Throws DataError where several ranks train together. what: what only one process can do, in the
/// user's terms, such as "--kernel".
void RequireOneRank(const Ranks& ranks, std::string_view what);

/// Calls work() on every rank. If it throws a DataError on some ranks, all ranks throw that of the
/// first one, with the name of its machine where there are several. work must not call functions of
/// `ranks` after which it may throw on some ranks alone.
template <class Work>
void OnAllRanks(Ranks& ranks, const Work& work) {
  std::string error;
  try {
    work();
  } catch (const DataError& caught) {
    if (ranks.alone()) throw;
    error = caught.what();
  }
  ThrowFirstError(ranks, error);
}

}  // namespace slackline::internal
