// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/parallel.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace slackline::internal;

TEST_CASE("every item is done once in consecutive chunks") {
  for (const int threads : {1, 2, 5}) {
    for (const Index count : {0, 1, 7, 100}) {
      std::vector<std::atomic<int>> done(count);
      std::vector<std::atomic<Index>> end(8);
      ParallelChunks(count, 8, threads, [&](const Chunk& chunk) {
        for (Index k = chunk.begin; k < chunk.end; ++k) ++done[k];
        end[chunk.chunk] = chunk.end;
      });
      for (const auto& times : done) CHECK(times == 1);
      for (std::size_t k = 1; k < end.size(); ++k) CHECK(end[k - 1] <= end[k]);
      CHECK(end.back() == count);
    }
  }
}

TEST_CASE("all cores are shared by the processes of a machine") {
  const auto online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  CHECK(NumThreads(0) == HardwareThreads());
  for (const int processes : {1, 2, 3, 1000}) {
    ShareProcessors(processes);
    CAPTURE(processes);
    CHECK(NumThreads(0) >= 1);
    CHECK(NumThreads(0) <= HardwareThreads());
    if (processes > 1) CHECK(NumThreads(0) <= std::max(1, online / processes));
    if (processes > online) CHECK(NumThreads(0) == 1);
    CHECK(NumThreads(7) == 7);
  }
  ShareProcessors(1);
  CHECK(NumThreads(0) == HardwareThreads());
}

TEST_CASE("the work beside the chunks and all chunks are done") {
  for (const int threads : {1, 2, 3}) {
    std::vector<std::atomic<int>> done(50);
    int beside = 0;
    ParallelChunksBeside([&] { ++beside; }, 50, 20, threads,
                         [&](const Chunk& chunk) {
                           CHECK(chunk.thread < threads);
                           for (Index k = chunk.begin; k < chunk.end; ++k) ++done[k];
                         });
    CHECK(beside == 1);
    for (const auto& times : done) CHECK(times == 1);
  }
}

TEST_CASE("exceptions reach the caller") {
  const auto fail = [](const Chunk& chunk) {
    if (chunk.chunk == 3) throw std::runtime_error("chunk");
  };
  for (const int threads : {1, 3}) {
    CHECK_THROWS_WITH(ParallelChunks(10, 5, threads, fail), "chunk");
    CHECK_THROWS_WITH(ParallelChunksBeside([] {}, 10, 5, threads, fail), "chunk");
    CHECK_THROWS_WITH(ParallelChunksBeside([] { throw std::runtime_error("beside"); }, 10, 5,
                                           threads, [](const Chunk&) {}),
                      "beside");
  }
}

TEST_CASE("the first failure is reported for any number of threads") {
  for (const int threads : {1, 2, 4}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::atomic<bool> later{false};
      // With several threads the later chunk fails first.
      const auto fail = [&](const Chunk& chunk) {
        if (chunk.chunk == 1) {
          for (int k = 0; k < 1'000'000 && threads > 1 && !later; ++k) std::this_thread::yield();
          throw std::runtime_error("first");
        }
        if (chunk.chunk == 2) {
          later = true;
          throw std::runtime_error("later");
        }
      };
      CHECK_THROWS_WITH(ParallelChunks(8, 8, threads, fail), "first");
      later = false;
      CHECK_THROWS_WITH(ParallelChunksBeside([] {}, 8, 8, threads, fail), "first");
    }
  }
}

// Sanitizers need the address space for themselves.
#ifndef SLACKLINE_SANITIZED
TEST_CASE("fewer threads do the work where not all can be started") {
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit tight = before;
  // Room for some thread stacks, which usually have 8 MB, but not for 200.
  tight.rlim_cur = pages * sysconf(_SC_PAGESIZE) + (std::size_t{100} << 20);
  REQUIRE(setrlimit(RLIMIT_AS, &tight) == 0);
  std::vector<std::atomic<int>> done(400);
  for (const int threads : {200, 2, 100}) {
    ParallelChunks(400, 400, threads, [&](const Chunk& chunk) { ++done[chunk.begin]; });
  }
  setrlimit(RLIMIT_AS, &before);
  for (const auto& times : done) CHECK(times == 3);
}
#endif
