// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/random.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

using slackline::internal::Random;

TEST_CASE("the first numbers are those of xoshiro256** seeded by splitmix64") {
  // splitmix64 from 0 gives the published sequence e220a8397b1dcdaf, 6e789e6aa1b965f4,
  // 06c45d188009454f, f88bb8a8724c81ec; the generator's first output is rotate(s1 · 5, 7) · 9.
  const std::uint64_t s1 = 0x6e789e6aa1b965f4ULL * 5;
  CHECK(Random(0).NextBits() == ((s1 << 7) | (s1 >> 57)) * 9);
  Random random(0);
  CHECK(random.NextBits() == 0x99ec5f36cb75f2b4ULL);
  CHECK(random.NextBits() == 0xbf6e1f784956452aULL);
  CHECK(random.NextBits() == 0x1a5f849d4933e6e0ULL);
}

TEST_CASE("one seed gives one sequence, other seeds give others") {
  Random a(5);
  Random b(5);
  Random c(6);
  bool differs = false;
  for (int k = 0; k < 100; ++k) {
    const std::uint64_t bits = a.NextBits();
    CHECK(bits == b.NextBits());
    differs = differs || bits != c.NextBits();
  }
  CHECK(differs);
}

TEST_CASE("Below stays below its bound and reaches every number about equally often") {
  Random random(11);
  for (int k = 0; k < 100; ++k) CHECK(random.Below(1) == 0);
  constexpr int kDraws = 70000;
  std::array<int, 7> counts{};
  for (int k = 0; k < kDraws; ++k) {
    const std::uint64_t value = random.Below(7);
    REQUIRE(value < 7);
    ++counts[value];
  }
  // The standard deviation of a count is 93; five deviations are allowed.
  for (const int count : counts) CHECK(std::abs(count - kDraws / 7) < 465);
  const std::uint64_t large = (std::uint64_t{1} << 63) + 12345;
  for (int k = 0; k < 1000; ++k) CHECK(random.Below(large) < large);
}

TEST_CASE("Uniform and Normal have the moments of their distributions") {
  Random random(3);
  constexpr int kDraws = 200000;
  // Five deviations of a mean of 200,000 draws with variance 1.
  constexpr double kFiveDeviations = 5.0 / 447.2;
  double sum = 0;
  double normal_sum = 0;
  double normal_squares = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double value = random.Uniform();
    REQUIRE((value >= 0 && value < 1));
    sum += value;
    const double normal = random.Normal();
    REQUIRE(std::isfinite(normal));
    normal_sum += normal;
    normal_squares += normal * normal;
  }
  CHECK(std::abs(sum / kDraws - 0.5) < kFiveDeviations * 0.29);
  CHECK(std::abs(normal_sum / kDraws) < kFiveDeviations);
  CHECK(std::abs(normal_squares / kDraws - 1) < kFiveDeviations * 1.42);
}

TEST_CASE("Shuffle yields every order of three items about equally often") {
  Random random(17);
  constexpr int kDraws = 60000;
  std::array<int, 27> counts{};
  for (int k = 0; k < kDraws; ++k) {
    std::array<int, 3> items{0, 1, 2};
    random.Shuffle(std::span<int>(items));
    ++counts[9 * items[0] + 3 * items[1] + items[2]];
  }
  int orders = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    ++orders;
    CHECK(std::abs(count - kDraws / 6) < 457);
  }
  CHECK(orders == 6);
}

TEST_CASE("Shuffle keeps the items, also when there are none or one") {
  Random random(2);
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 0);
  random.Shuffle(std::span<int>(items));
  CHECK_FALSE(std::is_sorted(items.begin(), items.end()));
  std::sort(items.begin(), items.end());
  for (int k = 0; k < 1000; ++k) CHECK(items[k] == k);
  std::vector<int> one{4};
  random.Shuffle(std::span<int>(one));
  CHECK(one[0] == 4);
  random.Shuffle(std::span<int>());
}
