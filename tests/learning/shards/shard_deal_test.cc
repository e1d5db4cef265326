// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/shard_deal.h>

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/support/random_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("shards are consecutive, cover all examples, and differ in length by one at most") {
  for (const Index examples : {1, 2, 7, 100, 101}) {
    for (const Index shards : {1, 2, 3, 8, 100}) {
      Index next = 0;
      Index shortest = examples;
      Index longest = 0;
      for (Index p = 0; p < shards; ++p) {
        const ExampleRange range = RangeOfShard(examples, shards, p);
        CHECK(range.begin == next);
        next = range.end;
        shortest = std::min(shortest, range.size());
        longest = std::max(longest, range.size());
      }
      CHECK(next == examples);
      CHECK(longest - shortest <= 1);
    }
  }
}

TEST_CASE("counts that overflow a product are dealt as others") {
  const ExampleRange last = RangeOfShard(2'000'000'000, 512, 511);
  CHECK(last.end == 2'000'000'000);
  CHECK(last.size() == 3'906'250);
}

TEST_CASE("there is no shard outside the range") {
  CHECK_THROWS_AS(RangeOfShard(10, 2, 2), std::invalid_argument);
  CHECK_THROWS_AS(RangeOfShard(10, 2, -1), std::invalid_argument);
  CHECK_THROWS_AS(RangeOfShard(10, 0, 0), std::invalid_argument);
}

TEST_CASE("a part of a problem has the data of its examples") {
  Random random(1);
  ProblemOptions options;
  options.num_examples = 7;
  options.potentials = true;
  options.mixed_sizes = true;
  const Problem whole(RandomProblem(random, options), 0.25);
  const ExampleRange range{2, 6};
  const Problem part = ProblemOfRange(whole, range);
  REQUIRE(part.size() == 4);
  CHECK(part.lambda() == whole.lambda());
  CHECK(part.data().rows() == whole.data().rows());
  for (Index m = 0; m < part.size(); ++m) {
    const ExampleView mine = part.data().example(m);
    const ExampleView given = whole.data().example(range.begin + m);
    CHECK(&mine.structure() == &given.structure());
    CHECK(std::ranges::equal(mine.labels(), given.labels()));
    CHECK(std::ranges::equal(mine.potentials(), given.potentials()));
    CHECK(std::ranges::equal(part.loss(m), whole.loss(range.begin + m)));
    for (Index k = 0; k < given.structure().num_inputs(); ++k)
      CHECK(mine.input(k).values == given.input(k).values);
  }
  CHECK_THROWS_AS(ProblemOfRange(whole, {3, 3}), std::invalid_argument);
  CHECK_THROWS_AS(ProblemOfRange(whole, {3, 8}), std::invalid_argument);
}
