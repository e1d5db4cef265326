// SPDX-License-Identifier: BSD-3-Clause
//
// The only door to OpenMP. Work is cut into chunks whose number does not depend on the number of
// threads, and callers merge the chunks' results in the order of the chunks: sums come out bit for
// bit the same for every thread count.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// Threads that this machine offers (1 when built without OpenMP).
int HardwareThreads();

/// The number that was asked for, or all that the machine offers where it is 0.
int NumThreads(Index wanted);

/// One chunk of work: examples [begin, end) of chunk number `chunk`, done by thread number `thread`
/// (< num_threads).
struct Chunk {
  Index begin = 0;
  Index end = 0;
  int chunk = 0;
  int thread = 0;
};

/// Calls `work` once for each of `num_chunks` nearly equal, consecutive pieces of [0, count), on up
/// to `num_threads` threads (fewer where the system cannot start so many), in no fixed order. An
/// exception of `work` is rethrown in the caller after all threads have stopped: that of the first
/// chunk that fails, as with one thread, whatever `num_threads`. Chunks behind it may be left out.
void ParallelChunks(Index count, int num_chunks, int num_threads,
                    const std::function<void(const Chunk&)>& work);

/// Sees to it that there is an object for every thread: make() those that are missing, several at a
/// time.
template <class T, class Make>
void MakeForThreads(int num_threads, std::vector<std::unique_ptr<T>>* objects, const Make& make) {
  const Index missing = num_threads - static_cast<Index>(objects->size());
  if (missing <= 0) return;
  std::vector<std::unique_ptr<T>> made(missing);
  ParallelChunks(missing, missing, num_threads,
                 [&](const Chunk& chunk) { made[chunk.begin] = make(); });
  for (std::unique_ptr<T>& object : made) objects->push_back(std::move(object));
}

/// As ParallelChunks, while the calling thread first does `beside`, which must not share anything
/// that is written with `work`. With one thread `beside` comes last.
void ParallelChunksBeside(const std::function<void()>& beside, Index count, int num_chunks,
                          int num_threads, const std::function<void(const Chunk&)>& work);

}  // namespace slackline::internal
