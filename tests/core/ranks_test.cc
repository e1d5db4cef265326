// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/ranks.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/thread_ranks.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("one process alone is all ranks") {
  Ranks& one = OneRank();
  CHECK(one.alone());
  CHECK(one.first());
  CHECK(one.Gather(7) == std::vector<int>{7});
  CHECK(one.Join(std::span<const double>(std::vector<double>{1, 2})) == std::vector<double>{1, 2});
  CHECK(one.GatherTexts("text") == std::vector<std::string>{"text"});
  CHECK(one.SumOf(3) == 3);
  CHECK(one.MaxOf(-3) == -3);
  CHECK(one.SumOfReals(0.5) == 0.5);
  CHECK(one.PieceOf(10).size() == 10);
  std::vector<std::int64_t> numbers = {1, 2, 3};
  one.AddUp(numbers);
  CHECK(numbers == std::vector<std::int64_t>{1, 2, 3});
  CHECK_THROWS_WITH_AS(OnAllRanks(one, [] { throw DataError("bad"); }), "bad", DataError);
}

TEST_CASE("gathers, sums and joins are those of all ranks, in their order") {
  for (const int size : {1, 2, 3, 5}) {
    OnThreadRanks(size, [size](ThreadRanks& ranks) {
      const int r = ranks.rank();
      std::vector<int> squares;
      std::vector<int> joined;
      std::int64_t sum = 0;
      for (int q = 0; q < size; ++q) {
        squares.push_back(q * q);
        joined.insert(joined.end(), Size(q), q);
        sum += q + 1;
      }
      CHECK(ranks.Gather(r * r) == squares);
      CHECK(ranks.Join(std::span<const int>(std::vector<int>(Size(r), r))) == joined);
      CHECK(ranks.SumOf(r + 1) == sum);
      CHECK(ranks.MaxOf(10 - r) == 10);
      CHECK(ranks.GatherTexts(std::string(Size(r), 'x')).back() ==
            std::string(Size(size) - 1, 'x'));
      CHECK(ranks.Any(r == size - 1));
      CHECK_FALSE(ranks.Any(r == size));
      int value = r + 5;
      ranks.TakeFromFirst(&value);
      CHECK(value == 5);
      // 10 numbers, and fewer than ranks.
      for (const std::int64_t count : {10, 2, 0}) {
        std::vector<std::int64_t> numbers(Size(count), r + 1);
        ranks.AddUp(numbers);
        CHECK(numbers == std::vector<std::int64_t>(Size(count), sum));
        std::vector<double> pieces(Size(count), -1);
        const Ranks::Piece mine = ranks.PieceOf(count);
        for (std::int64_t k = mine.begin; k < mine.end; ++k) pieces[k] = static_cast<double>(k);
        ranks.GatherPieces(std::span(pieces));
        std::vector<double> wanted(Size(count));
        std::iota(wanted.begin(), wanted.end(), 0.0);
        CHECK(pieces == wanted);
      }
    });
  }
}

TEST_CASE("sums of real numbers are made in the order of the ranks") {
  const std::vector<double> values = {1e16, 1, -1e16, 3};
  OnThreadRanks(4, [&](ThreadRanks& ranks) {
    CHECK(ranks.SumOfReals(values[ranks.rank()]) == ((1e16 + 1) - 1e16) + 3);
  });
}

TEST_CASE("an exchange gives every rank what the others have for it") {
  OnThreadRanks(3, [](ThreadRanks& ranks) {
    // Rank r gives q copies of 10 r + q to rank q.
    std::vector<std::vector<std::int32_t>> to(3);
    std::vector<std::vector<std::int32_t>> from(3);
    std::vector<std::span<const std::byte>> gives;
    std::vector<std::span<std::byte>> takes;
    for (int q = 0; q < 3; ++q) {
      to[q].assign(Size(q), 10 * ranks.rank() + q);
      from[q].resize(Size(ranks.rank()));
      gives.push_back(std::as_bytes(std::span(to[q])));
      takes.push_back(std::as_writable_bytes(std::span(from[q])));
    }
    ranks.ExchangeBytes(gives, takes);
    for (int q = 0; q < 3; ++q)
      CHECK(from[q] == std::vector<std::int32_t>(Size(ranks.rank()), 10 * q + ranks.rank()));
  });
}

TEST_CASE("all ranks throw the error of the first rank that has one") {
  OnThreadRanks(4, [](ThreadRanks& ranks) {
    const auto work = [&] {
      if (ranks.rank() >= 2) throw DataError("file", 10 + ranks.rank(), "bad token");
    };
    CHECK_THROWS_WITH_AS(OnAllRanks(ranks, work), "file:12: bad token", DataError);
    CHECK_NOTHROW(OnAllRanks(ranks, [] {}));
    ranks.set_machine(ranks.rank() < 2 ? "one" : "two");
    CHECK_THROWS_WITH_AS(OnAllRanks(ranks, work), "file:12: bad token (on two)", DataError);
    const auto all = [] { throw DataError("no file"); };
    CHECK_THROWS_WITH_AS(OnAllRanks(ranks, all), "no file", DataError);
  });
}
