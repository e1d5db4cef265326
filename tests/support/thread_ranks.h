// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks (core/ranks.h) that are threads of the test.
#pragma once

#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <slackline/core/ranks.h>

namespace slackline::internal::test {

/// What the threads share.
class ThreadTeam {
 public:
  explicit ThreadTeam(int size) : size_(size), to_(size) {}

  int size() const { return size_; }
  /// Waits for all threads; throws when one of them has failed.
  void Wait() {
    std::unique_lock lock(mutex_);
    if (failed_) throw std::runtime_error("another rank failed");
    const int round = round_;
    if (++waiting_ == size_) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
      return;
    }
    changed_.wait(lock, [&] { return round_ != round || failed_; });
    if (round_ == round) throw std::runtime_error("another rank failed");
  }
  void Fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

  using Bytes = std::span<const std::byte>;
  std::vector<Bytes>& to(int rank) { return to_[rank]; }

 private:
  const int size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  int round_ = 0;
  bool failed_ = false;
  std::vector<std::vector<Bytes>> to_;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(ThreadTeam* team, int rank) : team_(*team), rank_(rank) {}

  int size() const override { return team_.size(); }
  int rank() const override { return rank_; }
  int ranks_on_this_machine() const override { return on_this_machine_; }
  void set_ranks_on_this_machine(int ranks) { on_this_machine_ = ranks; }
  std::string machine() const override { return machine_; }
  void set_machine(const std::string& name) { machine_ = name; }
  /// The bytes that this rank has given to others.
  std::size_t sent() const { return sent_; }

  void GatherBytes(std::span<const std::byte> mine, std::span<const std::size_t> lengths,
                   std::byte* all) override {
    team_.to(rank_) = {mine};
    team_.Wait();
    for (int r = 0; r < size(); ++r) {
      const ThreadTeam::Bytes bytes = team_.to(r)[0];
      if (bytes.size() != lengths[r]) throw std::logic_error("a rank gives another length");
      Copy(bytes, all);
      all += lengths[r];
    }
    sent_ += mine.size() * Size(size() - 1);
    team_.Wait();
  }
  void ExchangeBytes(std::span<const std::span<const std::byte>> to,
                     std::span<const std::span<std::byte>> from) override {
    team_.to(rank_).assign(to.begin(), to.end());
    team_.Wait();
    for (int r = 0; r < size(); ++r) {
      const ThreadTeam::Bytes bytes = team_.to(r)[rank_];
      if (bytes.size() != from[r].size()) throw std::logic_error("a rank gives another length");
      Copy(bytes, from[r].data());
      if (r != rank_) sent_ += to[r].size();
    }
    team_.Wait();
  }
  void Broadcast(std::span<std::byte> bytes) override {
    team_.to(rank_) = {bytes};
    team_.Wait();
    if (team_.to(0)[0].size() != bytes.size())
      throw std::logic_error("rank 0 gives another length");
    if (rank_ > 0) Copy(team_.to(0)[0], bytes.data());
    if (rank_ == 0) sent_ += bytes.size() * Size(size() - 1);
    team_.Wait();
  }

 private:
  static void Copy(ThreadTeam::Bytes bytes, std::byte* to) {
    if (!bytes.empty() && bytes.data() != to) std::memcpy(to, bytes.data(), bytes.size());
  }

  ThreadTeam& team_;
  const int rank_;
  int on_this_machine_ = 1;
  std::string machine_;
  std::size_t sent_ = 0;
};

/// Calls run(ranks) on `size` threads, each of which is a rank. Rethrows the exception of the first
/// rank that failed by itself.
inline void OnThreadRanks(int size, const std::function<void(ThreadRanks&)>& run) {
  ThreadTeam team(size);
  std::vector<std::exception_ptr> errors(size);
  std::vector<std::thread> threads;
  std::mutex mutex;
  int first_failed = -1;
  for (int r = 0; r < size; ++r) {
    threads.emplace_back([&, r] {
      ThreadRanks ranks(&team, r);
      try {
        run(ranks);
      } catch (...) {
        const std::lock_guard lock(mutex);
        errors[r] = std::current_exception();
        if (first_failed < 0) first_failed = r;
        team.Fail();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first_failed >= 0) std::rethrow_exception(errors[first_failed]);
}

}  // namespace slackline::internal::test
