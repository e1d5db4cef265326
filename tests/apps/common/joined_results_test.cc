// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <slackline/apps/common/joined_results.h>
#include <tests/support/thread_ranks.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("rank 0 gets the items of all ranks in their order, and the others nothing") {
  for (int size = 1; size <= 5; ++size) {
    std::vector<Index> numbers;
    std::string text;
    std::vector<int> others;
    OnThreadRanks(size, [&](ThreadRanks& ranks) {
      const int r = ranks.rank();
      // Rank r has r % 3 items.
      const std::vector<Index> joined = JoinOnFirst(ranks, std::vector<Index>(Size(r % 3), 10 * r));
      const std::string texts = JoinOnFirst(ranks, std::string(Size((r + 1) % 3), char('a' + r)));
      if (ranks.first()) {
        numbers = joined;
        text = texts;
      } else {
        CHECK(joined.empty());
        CHECK(texts.empty());
      }
    });
    std::vector<Index> expected;
    std::string expected_text;
    for (int r = 0; r < size; ++r) {
      expected.insert(expected.end(), Size(r % 3), 10 * r);
      expected_text += std::string(Size((r + 1) % 3), char('a' + r));
    }
    CHECK(numbers == expected);
    CHECK(text == expected_text);
  }
}

TEST_CASE("the sum before a rank leaves out its own number and those after it") {
  OnThreadRanks(4, [](ThreadRanks& ranks) {
    const std::int64_t mine[] = {5, 0, 7, 100};
    const std::int64_t before[] = {0, 5, 5, 12};
    CHECK(SumBefore(ranks, mine[ranks.rank()]) == before[ranks.rank()]);
  });
  CHECK(SumBefore(OneRank(), 9) == 0);
}
