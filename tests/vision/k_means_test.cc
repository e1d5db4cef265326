// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/vision/k_means.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <stdexcept>

#include <slackline/core/random.h>

using namespace slackline::internal;

namespace {

/// Three clusters of points in the plane.
ClusterTask Clusters(int count) {
  Random random(11);
  ClusterTask task{{}, 2, 3, 5};
  for (int p = 0; p < count; ++p) {
    for (int d = 0; d < 2; ++d)
      task.points.push_back(static_cast<float>(10 * (p % 3) * (d + 1) + 0.1 * random.Normal()));
  }
  return task;
}

/// Points without clusters, numerous enough for several threads.
ClusterTask Cloud(Index size, Index centres, std::uint64_t seed) {
  Random random(seed);
  ClusterTask task{std::vector<float>(Offset{size} * 20'000), size, centres, seed};
  for (float& value : task.points) value = static_cast<float>(random.Normal());
  return task;
}

}  // namespace

TEST_CASE("k-means finds clusters") {
  const std::vector<float> centres = KMeans({Clusters(300)}, 1, nullptr)[0];
  REQUIRE(centres.size() == 6);
  std::set<long> found;
  for (int k = 0; k < 3; ++k) found.insert(std::lround(centres[2 * k] / 10));
  CHECK(found == std::set<long>{0, 1, 2});
}

TEST_CASE("fewer distinct points than centres are supported") {
  const ClusterTask equal{std::vector<float>(20, 4.0f), 2, 5, 1};
  CHECK(KMeans({equal}, 2, nullptr)[0] == std::vector<float>(10, 4.0f));
  CHECK(KMeans({{{7}, 1, 2, 1}}, 1, nullptr)[0] == std::vector<float>{7, 7});
  CHECK(KMeans({}, 2, nullptr).empty());
}

TEST_CASE("results do not depend on threads and other tasks") {
  const std::vector<ClusterTask> tasks = {Clusters(90), Cloud(5, 40, 2), Cloud(9, 60, 3),
                                          Clusters(7)};
  const auto alone = KMeans(tasks, 1, nullptr);
  REQUIRE(alone.size() == tasks.size());
  for (const int threads : {2, 3, 5}) CHECK(KMeans(tasks, threads, nullptr) == alone);
  for (std::size_t t = 0; t < tasks.size(); ++t)
    CHECK(KMeans({tasks[t]}, 2, nullptr)[0] == alone[t]);
}

TEST_CASE("centres are the means of the points nearest to them, up to the last few changes") {
  const ClusterTask task = Clusters(300);
  const std::vector<float> centres = KMeans({task}, 1, nullptr)[0];
  std::vector<double> sums(6), counts(3);
  for (std::size_t p = 0; p < 300; ++p) {
    const auto distance = [&](std::size_t k) {
      return std::hypot(task.points[2 * p] - centres[2 * k],
                        task.points[2 * p + 1] - centres[2 * k + 1]);
    };
    std::size_t best = 0;
    for (const std::size_t k : {1, 2}) best = distance(k) < distance(best) ? k : best;
    ++counts[best];
    for (const std::size_t d : {0, 1}) sums[2 * best + d] += task.points[2 * p + d];
  }
  for (std::size_t k = 0; k < 6; ++k) CHECK(centres[k] == doctest::Approx(sums[k] / counts[k / 2]));
}

TEST_CASE("a check ends k-means at any step") {
  const std::vector<ClusterTask> tasks = {Cloud(5, 40, 2), Cloud(9, 60, 3)};
  for (const int threads : {1, 2}) {
    std::atomic<int> all{0};
    KMeans(tasks, threads, [&] { ++all; });
    CHECK(all >= 100 + 2 * 2 * 16);  // centres to draw, and at least two iterations over 16 pieces
    for (const int last : {0, 30, 99, 100, 120}) {
      std::atomic<int> steps{0};
      const auto check = [&] {
        if (steps++ >= last) throw std::runtime_error("enough");
      };
      CHECK_THROWS_WITH(KMeans(tasks, threads, check), "enough");
      CHECK(steps < all);
    }
  }
}

TEST_CASE("tasks without points or centres are refused") {
  CHECK_THROWS_AS(KMeans({{{}, 1, 1, 1}}, 1, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(KMeans({{{1}, 2, 1, 1}}, 1, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(KMeans({{{1}, 1, 0, 1}}, 1, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(KMeans({{{1}, 0, 1, 1}}, 1, nullptr), std::invalid_argument);
}
