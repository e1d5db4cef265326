// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_interrupt.h>

#include <csignal>
#include <cstdint>
#include <ctime>

namespace slackline::internal::program {
namespace {

/// A second signal within this time belongs to the first: `timeout` and mpirun send theirs to the
/// program and to its process group.
constexpr std::int64_t kSameMilliseconds = 200;

std::atomic<int> received_signal{0};
std::atomic<std::int64_t> received_at{0};  // in milliseconds; 0: no signal so far
static_assert(std::atomic<int>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "used in a signal handler");

std::int64_t Milliseconds() {
  struct timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

extern "C" void StoreSignal(int number) {
  // Two threads may receive two signals at once. Whichever sets the time has the first signal.
  const std::int64_t now = Milliseconds();
  std::int64_t first = 0;
  if (received_at.compare_exchange_strong(first, now)) {
    received_signal.store(number);
    return;
  }
  if (number == SIGHUP || now - first < kSameMilliseconds) return;
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

const std::atomic<int>* CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = StoreSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up = {};
  if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) {
    sigaction(SIGHUP, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
  return &received_signal;
}

}  // namespace slackline::internal::program
