// SPDX-License-Identifier: BSD-3-Clause
//
// A control of the thread sanitizer. `control race` has races that the sanitizer must report.
// `control clean` has threads that share data as the library does, and must pass: among other
// things, results are read after a parallel region, which the sanitizer understands only if it
// knows the barriers of OpenMP.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <slackline/core/parallel.h>

using namespace slackline::internal;

namespace {

constexpr Index kItems = 10000;
constexpr int kChunks = 100;

/// Adds to one number without synchronisation while two threads run. The threads wait for each
/// other by a relaxed atomic number, which synchronises nothing.
long RacingSum(int threads) {
  long sum = 0;
  std::atomic<int> chunks{0};
  ParallelChunks(kItems, kChunks, threads, [&](const Chunk& chunk) {
    chunks.fetch_add(1, std::memory_order_relaxed);
    while (chunks.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
    for (Index k = chunk.begin; k < chunk.end; ++k) sum += k;
  });
  return sum;
}

/// Every chunk has its own number, which the caller reads after the parallel region and clears
/// before the next one.
long SumOfChunks(int threads) {
  std::vector<long> sums(kChunks);
  long total = 0;
  for (int round = 0; round < 20; ++round) {
    sums.assign(kChunks, 0);
    ParallelChunks(kItems, kChunks, threads, [&](const Chunk& chunk) {
      for (Index k = chunk.begin; k < chunk.end; ++k) sums[chunk.chunk] += k;
    });
    for (const long sum : sums) total += sum;
  }
  return total;
}

/// A mutex, an atomic number, and work of the calling thread beside that of the others.
long LockedSum(int threads) {
  std::mutex mutex;
  long sum = 0;
  long beside = 0;
  std::atomic<long> count{0};
  ParallelChunksBeside([&] { beside = 1; }, kItems, kChunks, threads,
                       [&](const Chunk& chunk) {
                         const std::lock_guard<std::mutex> lock(mutex);
                         sum += chunk.end - chunk.begin;
                         count.fetch_add(1, std::memory_order_relaxed);
                       });
  return sum + beside + count;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string kind = argc == 2 ? argv[1] : "";
  if (kind != "race" && kind != "clean") {
    std::fprintf(stderr, "usage: control race|clean\n");
    return 2;
  }
  for (const int threads : {2, 4}) {
    const long sum =
        kind == "race" ? RacingSum(threads) : SumOfChunks(threads) + LockedSum(threads);
    std::printf("%d threads: %ld\n", threads, sum);
  }
  return 0;
}
