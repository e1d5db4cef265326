// SPDX-License-Identifier: BSD-3-Clause
//
// All use of OpenMP. Work is cut into chunks whose number does not depend on the number of threads,
// and callers merge the chunks' results in the order of the chunks, so sums are the same bit for
// bit for every number of threads.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// Threads that this machine offers (1 when built without OpenMP).
int HardwareThreads();

/// Makes the calling thread do all further work of this process. For a process that was forked from
/// one with threads, which it does not have.
void UseOneThread();

/// `wanted` threads. If `wanted` is 0: HardwareThreads(), or this process's share of the processors
/// where several processes work together on this machine.
int NumThreads(Index wanted);

/// Makes NumThreads assume that so many processes, ≥ 1, share the processors of this machine.
void ShareProcessors(int processes);

/// One chunk of work: items [begin, end) of chunk number `chunk`, done by thread number `thread`,
/// which is less than num_threads.
struct Chunk {
  Index begin = 0;
  Index end = 0;
  int chunk = 0;
  int thread = 0;
};

/// Calls `work` once for each of `num_chunks` nearly equal, consecutive pieces of [0, count), on up
/// to `num_threads` threads (fewer where the system cannot start that many), in no fixed order.
/// After all threads have stopped, rethrows the exception of the first chunk that fails, in the
/// order of chunks and whatever `num_threads`. Later chunks may then be left out.
void ParallelChunks(Index count, int num_chunks, int num_threads,
                    const std::function<void(const Chunk&)>& work);

/// Extends *objects to one object per thread; the missing ones are made by make(), several at a
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

/// ParallelChunks, while the calling thread first runs `beside`. Neither `beside` nor `work` may
/// touch data that the other writes. With one thread `beside` runs last.
void ParallelChunksBeside(const std::function<void()>& beside, Index count, int num_chunks,
                          int num_threads, const std::function<void(const Chunk&)>& work);

}  // namespace slackline::internal
