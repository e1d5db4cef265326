// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/parallel.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace slackline::internal {

int HardwareThreads() {
#ifdef _OPENMP
  return omp_get_num_procs();
#else
  return 1;
#endif
}

namespace {

std::atomic<int> processes_here{1};

/// The processors of this machine, those included that this process may not use.
int Processors() {
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<int>(std::min<long>(online, std::numeric_limits<int>::max())) : 1;
}

}  // namespace

int NumThreads(Index wanted) {
  if (wanted > 0) return static_cast<int>(wanted);
  const int processes = processes_here;
  if (processes == 1) return HardwareThreads();
  return std::clamp(Processors() / processes, 1, HardwareThreads());
}

void ShareProcessors(int processes) { processes_here = processes; }

namespace {

Chunk MakeChunk(Index count, int num_chunks, int k, int thread) {
  const Offset n = count;
  return Chunk{static_cast<Index>(n * k / num_chunks), static_cast<Index>(n * (k + 1) / num_chunks),
               k, thread};
}

std::atomic<bool> one_thread{false};

#ifdef _OPENMP
/// How many of the wanted threads the system can start at once. OpenMP libraries do not report that
/// a thread cannot be started but end the process. Fewer threads suffice, since results do not
/// depend on their number.
int StartableThreads(int wanted) {
  if (one_thread) return 1;
  static std::atomic<int> tried{1};
  static std::atomic<int> most{std::numeric_limits<int>::max()};
  if (wanted <= tried || most < std::numeric_limits<int>::max())
    return std::min(wanted, most.load());
  std::vector<std::thread> threads;
  std::mutex gate;
  // A thread that allocates gets memory from the system besides its stack.
  const auto allocate_and_wait = [&gate] {
    void* volatile memory = std::malloc(1);
    std::free(memory);
    const std::lock_guard<std::mutex> wait(gate);
  };
  {
    const std::lock_guard<std::mutex> closed(gate);
    try {
      // OpenMP starts one thread less; the additional one leaves room for OpenMP's own allocations.
      while (static_cast<int>(threads.size()) < wanted) threads.emplace_back(allocate_and_wait);
    } catch (const std::exception&) {
      // Use half of the threads that could be started, so that memory is left for the work.
      most = std::max(1, static_cast<int>(threads.size()) / 2);
    }
  }
  for (std::thread& thread : threads) thread.join();
  tried = wanted;
  return std::min(wanted, most.load());
}

/// Keeps the exception of the first failing chunk in the order of chunks, so that the reported
/// error does not depend on the speed of the threads.
class FirstError {
 public:
  /// Whether an earlier chunk has failed, so that this chunk need not run.
  bool Before(int chunk) const { return chunk_.load(std::memory_order_relaxed) < chunk; }

  void Store(int chunk, std::exception_ptr error) {
#pragma omp critical(slackline_parallel_error)
    if (!Before(chunk)) {
      chunk_ = chunk;
      error_ = std::move(error);
    }
  }
  void Rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<int> chunk_{std::numeric_limits<int>::max()};
  std::exception_ptr error_;
};
#endif

}  // namespace

void UseOneThread() { one_thread = true; }

void ParallelChunks(Index count, int num_chunks, int num_threads,
                    const std::function<void(const Chunk&)>& work) {
  num_chunks = std::max(1, num_chunks);
  num_threads = std::clamp(num_threads, 1, num_chunks);
#ifdef _OPENMP
  if (num_threads > 1) num_threads = StartableThreads(num_threads);
  if (num_threads > 1) {
    FirstError error;
#pragma omp parallel for schedule(dynamic, 1) num_threads(num_threads)
    for (int k = 0; k < num_chunks; ++k) {
      if (error.Before(k)) continue;
      try {
        work(MakeChunk(count, num_chunks, k, omp_get_thread_num()));
      } catch (...) {
        error.Store(k, std::current_exception());
      }
    }
    error.Rethrow();
    return;
  }
#endif
  for (int k = 0; k < num_chunks; ++k) work(MakeChunk(count, num_chunks, k, 0));
}

void ParallelChunksBeside(const std::function<void()>& beside, Index count, int num_chunks,
                          int num_threads, const std::function<void(const Chunk&)>& work) {
#ifdef _OPENMP
  if (num_threads > 1) num_threads = StartableThreads(num_threads);
  if (num_threads > 1) {
    num_chunks = std::max(1, num_chunks);
    std::atomic<int> next{0};
    FirstError error;
#pragma omp parallel num_threads(std::min(num_threads, num_chunks + 1))
    {
      const int thread = omp_get_thread_num();
      int k = num_chunks;  // `beside` counts as the last chunk, as with one thread
      try {
        if (thread == 0) beside();
        for (k = next++; k < num_chunks; k = next++) work(MakeChunk(count, num_chunks, k, thread));
      } catch (...) {
        next = num_chunks;
        error.Store(k, std::current_exception());
      }
    }
    error.Rethrow();
    return;
  }
#endif
  static_cast<void>(num_threads);
  ParallelChunks(count, num_chunks, 1, work);
  beside();
}

}  // namespace slackline::internal
