// SPDX-License-Identifier: BSD-3-Clause
//
// How many threads run the shards. Parts of rounds are short, and every part waits for its slowest
// shard: where other programs use the processors, waiting can take longer than the work. This
// choice depends on measured time, which is allowed because results do not depend on the number of
// threads.
#pragma once

#include <algorithm>

namespace slackline::internal {

/// Allows threads to lose at most some milliseconds plus a twentieth of the time, compared with one
/// thread. A budget that grows with the time pays for their losses. When the budget is used up, one
/// thread runs until it is large enough for another try.
class ThreadChoice {
 public:
  explicit ThreadChoice(int most) : most_(most) {}

  int threads() const { return resting_ ? 1 : most_; }

  /// Takes the elapsed seconds of a part, and the processor seconds of all shards together.
  void Add(double elapsed, double cpu) {
    if (most_ < 2) return;
    budget_ += kShare * elapsed;
    // What threads win is added, too, up to kMost, so that they rest soon when they begin to lose.
    if (!resting_) budget_ += cpu - elapsed;
    budget_ = std::min(budget_, kMost);
    resting_ = budget_ < (resting_ ? kLeastToTry : 0.0);
  }

 private:
  static constexpr double kShare = 0.05;
  static constexpr double kMost = 0.01;         // seconds
  static constexpr double kLeastToTry = 0.002;  // seconds: a part or more

  int most_;
  bool resting_ = false;
  double budget_ = 0.005;
};

}  // namespace slackline::internal
