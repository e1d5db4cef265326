// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/exact_sum.h>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <slackline/core/random.h>

#include "tests/support/thread_ranks.h"

using slackline::internal::AddUp;
using slackline::internal::ExactSum;
using slackline::internal::PlusTimes;
using slackline::internal::Random;
using slackline::internal::Size;
using slackline::internal::SumOverExamples;

namespace test = slackline::internal::test;

namespace {

double SumOf(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double number : numbers) sum.Add(number);
  return sum.Round();
}

/// Numbers of both signs and sizes from 2^-200 to 2^200, many of which cancel.
std::vector<double> NumbersOfManySizes(Random* random, int count) {
  std::vector<double> numbers;
  for (int k = 0; k < count; ++k) {
    const int exponent = static_cast<int>(random->Below(401)) - 200;
    const double number = std::ldexp(random->Uniform() + 0.5, exponent);
    numbers.push_back(random->Below(2) == 0 ? number : -number);
    if (random->Below(3) == 0)
      numbers.push_back(-numbers[random->Below(static_cast<int>(numbers.size()))]);
  }
  return numbers;
}

}  // namespace

TEST_CASE("the sum of nothing is zero") {
  CHECK(std::bit_cast<std::uint64_t>(ExactSum().Round()) == 0);
  CHECK(SumOf({1, -1}) == 0);
  CHECK(SumOf({-0.0}) == 0);
}

TEST_CASE("a number added many times has the bits of a loop") {
  Random random(11);
  for (int trial = 0; trial < 3000; ++trial) {
    // Multiples of a power of two, and others; sums around powers of two.
    const double number =
        random.Below(4) == 0
            ? random.Uniform()
            : std::ldexp(random.Below(40), static_cast<int>(random.Below(60)) - 30);
    const double start = random.Below(5) == 0
                             ? 0
                             : std::ldexp(1 + (random.Below(3) - 1) * random.Uniform() * 1e-3,
                                          static_cast<int>(random.Below(70)) - 10);
    const int count = random.Below(200);
    double loop = start;
    for (int k = 0; k < count; ++k) loop += number;
    CAPTURE(number);
    CAPTURE(start);
    CAPTURE(count);
    CHECK(PlusTimes(start, number, count) == loop);
    const auto exact = [&](bool at_once) {
      SumOverExamples sum(&slackline::internal::OneRank());
      sum.Add(start);
      if (at_once) {
        sum.AddTimes(number, count);
      } else {
        for (int k = 0; k < count; ++k) sum.Add(number);
      }
      return sum.Total();
    };
    CHECK(exact(true) == exact(false));
  }
}

TEST_CASE("nothing is lost between numbers that cancel") {
  CHECK(SumOf({1e100, 1, -1e100}) == 1);
  CHECK(SumOf({1e100, 1e-100, -1e100, 1e-100}) == 2e-100);
  CHECK(SumOf(std::vector<double>(10, 0.1)) == 1);
  const double smallest = std::numeric_limits<double>::denorm_min();
  CHECK(SumOf({1, smallest, -1}) == smallest);
}

TEST_CASE("the sum is rounded once, to the nearest double or the even one of two") {
  const double unit = std::numeric_limits<double>::epsilon();  // of the last place of 1
  CHECK(SumOf({1, unit / 2}) == 1);
  CHECK(SumOf({1 + unit, unit / 2}) == 1 + 2 * unit);
  for (const double sign : {1.0, -1.0}) {
    for (const double little : {1e-30, 1e-100, 1e-300}) {
      CHECK(SumOf({sign, sign * unit / 2, sign * little}) == sign * (1 + unit));
      CHECK(SumOf({sign, sign * unit / 2, -sign * little}) == sign);
      CHECK(SumOf({sign * (1 + unit), sign * unit / 2, -sign * little}) == sign * (1 + unit));
      CHECK(SumOf({sign * (1 + unit), sign * unit / 2, sign * little}) == sign * (1 + 2 * unit));
    }
  }
}

TEST_CASE("whole numbers add up as integers do") {
  Random random(3);
  std::int64_t expected = 0;
  ExactSum sum;
  for (int k = 0; k < 1000; ++k) {
    const auto number =
        static_cast<std::int64_t>(random.NextBits() >> 20) - (std::int64_t{1} << 43);
    expected += number;
    sum.Add(static_cast<double>(number));
  }
  CHECK(sum.Round() == static_cast<double>(expected));
}

TEST_CASE("the bits do not depend on the order, nor on how the numbers are grouped") {
  Random random(7);
  for (int trial = 0; trial < 50; ++trial) {
    CAPTURE(trial);
    std::vector<double> numbers = NumbersOfManySizes(&random, 60);
    const double expected = SumOf(numbers);
    for (std::size_t k = numbers.size(); k > 1; --k)
      std::swap(numbers[k - 1], numbers[random.Below(static_cast<int>(k))]);
    CHECK(SumOf(numbers) == expected);
    std::vector<ExactSum> groups(4);
    for (const double number : numbers) groups[random.Below(4)].Add(number);
    ExactSum all;
    for (const ExactSum& group : groups) {
      all.Add(group);
      CHECK(group.partial_sums().size() < 40);
    }
    CHECK(all.Round() == expected);
    all.Add(all);
    CHECK(all.Round() == 2 * expected);
  }
}

TEST_CASE("without ranks a sum over the examples is that of the numbers in their order") {
  SumOverExamples plain(nullptr);
  SumOverExamples exact(&slackline::internal::OneRank());
  double sum = 0;
  for (int k = 0; k < 10; ++k) {
    plain.Add(0.1);
    exact.Add(0.1);
    sum += 0.1;
  }
  CHECK(sum < 1);
  CHECK(plain.Total() == sum);
  CHECK(exact.Total() == 1);
}

TEST_CASE("ranks have the bits of one process") {
  Random random(11);
  constexpr int kSums = 5;
  std::vector<std::vector<double>> numbers;
  for (int s = 0; s < kSums; ++s) numbers.push_back(NumbersOfManySizes(&random, 10 * s));
  for (const int size : {1, 2, 3, 5}) {
    CAPTURE(size);
    std::vector<std::vector<double>> results(Size(size));
    test::OnThreadRanks(size, [&](test::ThreadRanks& ranks) {
      std::vector<ExactSum> sums(kSums);
      for (int s = 0; s < kSums; ++s) {
        const auto piece = ranks.PieceOf(std::ssize(numbers[s]));
        for (std::int64_t k = piece.begin; k < piece.end; ++k) sums[s].Add(numbers[s][k]);
      }
      AddUp(ranks, sums);
      for (const ExactSum& sum : sums) results[ranks.rank()].push_back(sum.Round());
      AddUp(ranks, std::span<ExactSum>());
      // The same for one sum, and for more sums than are sent at once.
      SumOverExamples one(&ranks);
      const auto piece = ranks.PieceOf(std::ssize(numbers[4]));
      for (std::int64_t k = piece.begin; k < piece.end; ++k) one.Add(numbers[4][k]);
      CHECK(one.Total() == SumOf(numbers[4]));
      std::vector<ExactSum> many(20000);
      for (std::size_t s = 0; s < many.size(); ++s) many[s].Add(static_cast<double>(s));
      AddUp(ranks, many);
      for (std::size_t s = 0; s < many.size(); ++s) {
        if (many[s].Round() != static_cast<double>(s) * size) FAIL("a sum is wrong");
      }
    });
    for (const std::vector<double>& result : results) {
      for (int s = 0; s < kSums; ++s) CHECK(result[s] == SumOf(numbers[s]));
    }
  }
}
