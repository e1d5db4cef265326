// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/shards/shard_deal.h>

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/dealt.h"
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
  const Problem whole(
      RandomProblem(random, {.num_examples = 7, .mixed_sizes = true, .potentials = true}), 0.25);
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

namespace {

/// The plans of ranks with these numbers of examples.
std::vector<ShardPlan> PlansOf(const std::vector<Index>& examples, Index shards) {
  return OnEachRank(static_cast<int>(examples.size()), [&](ThreadRanks& ranks) {
    return PlanShards(examples[ranks.rank()], shards, ranks);
  });
}

std::string ErrorOf(const std::vector<Index>& examples, Index shards) {
  return MessageOf<DataError>([&] { PlansOf(examples, shards); });
}

}  // namespace

TEST_CASE("ranks with the examples of their shards have the shards of one process") {
  for (const Index examples : {7, 100, 101}) {
    for (const int size : {1, 2, 3, 5}) {
      for (const Index shards : {5, 6, 7}) {
        std::vector<Index> counts;
        for (int r = 0; r < size; ++r) {
          const Index first = shards * r / size;
          const Index last = shards * (r + 1) / size - 1;
          counts.push_back(RangeOfShard(examples, shards, last).end -
                           RangeOfShard(examples, shards, first).begin);
        }
        Index next = 0;
        for (const ShardPlan& plan : PlansOf(counts, shards)) {
          CHECK(plan.total == shards);
          CHECK(plan.num_examples == examples);
          CHECK(plan.first == next);
          for (Index k = 0; k < plan.count(); ++k, ++next)
            CHECK(plan.range(k).size() == RangeOfShard(examples, shards, next).size());
        }
        CHECK(next == shards);
      }
    }
  }
}

TEST_CASE("ranks with other examples deal their own") {
  const std::vector<ShardPlan> plans = PlansOf({10, 3, 50}, 6);
  CHECK(plans[0].begin == std::vector<Index>{0, 5, 10});
  CHECK(plans[1].begin == std::vector<Index>{0, 1, 3});
  CHECK(plans[2].begin == std::vector<Index>{0, 25, 50});
  CHECK(plans[2].first == 4);
  CHECK(plans[2].num_examples == 63);
}

TEST_CASE("what cannot be dealt is an error of all ranks") {
  CHECK(ErrorOf({5, 0, 5}, 3) == "rank 1 has no examples");
  CHECK(ErrorOf({5, 5, 5}, 2) == "--shards 2: there are 3 ranks, each of which needs a shard");
  CHECK(ErrorOf({10, 3, 50}, 7) ==
        "--shards 7: the ranks have 3 to 50 examples, so that each must divide its own; use a "
        "multiple of 3 shards, and no more per rank than 3");
  CHECK(ErrorOf({10, 3, 50}, 12) ==
        "--shards 12: the ranks have 3 to 50 examples, so that each must divide its own; use a "
        "multiple of 3 shards, and no more per rank than 3");
  CHECK(ErrorOf({10, 3, 50}, 9) == "accepted");
}
