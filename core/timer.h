// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>

namespace slackline::internal {

/// Elapsed seconds of a steady clock.
class WallTimer {
 public:
  double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  void Restart() { start_ = std::chrono::steady_clock::now(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Processor seconds of the whole process (all threads) since its start.
double ProcessCpuSeconds();

/// Processor seconds of the calling thread, or of the process where the system does not tell.
double ThreadCpuSeconds();

/// Largest resident memory of the process so far, in bytes; 0 where the system does not report it.
std::int64_t PeakMemoryBytes();

}  // namespace slackline::internal
