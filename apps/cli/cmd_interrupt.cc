// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_interrupt.h>

#include <csignal>

namespace slackline::internal::program {
namespace {

std::atomic<int> received_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

extern "C" void StoreSignal(int number) {
  received_signal.store(number, std::memory_order_relaxed);
}

}  // namespace

const std::atomic<int>* CatchInterrupts() {
  struct sigaction action = {};
  action.sa_handler = StoreSignal;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up = {};
  if (sigaction(SIGHUP, nullptr, &hang_up) == 0 && hang_up.sa_handler != SIG_IGN) {
    // A closed terminal sends SIGHUP twice: once from its shell, once itself.
    action.sa_flags = SA_RESTART;
    sigaction(SIGHUP, &action, nullptr);
  }
  signal(SIGPIPE, SIG_IGN);
  return &received_signal;
}

}  // namespace slackline::internal::program
