// SPDX-License-Identifier: BSD-3-Clause
//
// How many threads run the shards. Parts of rounds are short, and every part waits for its slowest
// shard: where other programs use the processors, waiting can take longer than the work. This
// choice depends on measured time, which is allowed because results do not depend on the number of
// threads.
#pragma once

#include <algorithm>

namespace slackline::internal {

class ThreadChoice {
 public:
  explicit ThreadChoice(int most) : most_(most) {}

  int threads() const { return single_windows_ > 0 ? 1 : most_; }

  /// Takes the elapsed seconds of a part, and the processor seconds of all shards together.
  void Add(double elapsed, double cpu) {
    if (most_ < 2) return;
    elapsed_ += elapsed;
    cpu_ += cpu;
    if (++parts_ < kWindow) return;
    if (single_windows_ > 0) {
      --single_windows_;
    } else if (elapsed_ > kUseless * cpu_) {
      single_windows_ = next_single_windows_;
      next_single_windows_ = std::min(2 * next_single_windows_, kLongest);
    } else {
      next_single_windows_ = 1;
    }
    elapsed_ = cpu_ = 0;
    parts_ = 0;
  }

 private:
  static constexpr int kWindow = 16;  // parts
  /// Threads gain nothing when the elapsed time is more than this share of the processor time.
  static constexpr double kUseless = 0.95;
  static constexpr int kLongest = 256;  // windows without threads

  int most_;
  int parts_ = 0;
  int single_windows_ = 0;
  int next_single_windows_ = 1;
  double elapsed_ = 0;
  double cpu_ = 0;
};

}  // namespace slackline::internal
