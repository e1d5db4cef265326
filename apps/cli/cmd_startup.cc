// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_startup.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include <slackline/core/file_map.h>

namespace slackline::internal::program {
namespace {

constexpr std::size_t kReserveBytes = std::size_t{1} << 18;
/// Eigen keeps work spaces of up to 128 kB each on the stack.
constexpr std::size_t kStackBytes = std::size_t{1} << 19;
constexpr std::size_t kPageBytes = std::size_t{1} << 12;

std::atomic<void*> reserve{nullptr};

/// Opens closed standard streams in the wrong direction (the input for writing), so that any use of
/// them fails as for a closed stream.
void OpenClosedStreams() {
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // open returns the lowest free number, which is this stream's, since all lower ones are in use.
    if (open("/dev/null", kModes[stream]) != stream) std::_Exit(1);
  }
}

/// The new handler: frees the reserve, then throws. The reserve is for destructors of JSON values,
/// which allocate and must not throw.
void ReleaseReserve() {
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

/// Writes without allocating. If the message cannot be written, ends the process.
void Say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) std::_Exit(1);
}

/// Ends the process on errors that cannot be thrown, such as a lack of memory in a destructor.
[[noreturn]] void EndAtOnce() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    Say("slackline: internal error: the program cannot continue\n");
  } catch (const std::bad_alloc&) {
    Say("slackline: not enough memory\n");
  } catch (const std::exception& error) {
    Say("slackline: internal error: ");
    Say(error.what());
    Say("\n");
  } catch (...) {
    Say("slackline: internal error of an unknown kind\n");
  }
  std::_Exit(1);
}

/// Also for objects that are made before main, such as those of the parser. (Libraries of the
/// language have the priorities up to 100.)
[[gnu::constructor(101)]] void BeginWithEndAtOnce() { std::set_terminate(EndAtOnce); }

/// Touches the pages from the highest address to the lowest, the direction in which the stack
/// grows.
[[gnu::noinline]] void TouchStack() {
  volatile char pages[kStackBytes];
  for (std::size_t k = kStackBytes; k > 0; k -= std::min(k, kPageBytes)) pages[k - 1] = 0;
  static_cast<void>(pages[0]);
}

/// Grows the stack to the size that the program uses, after checking that there is enough memory. A
/// stack that cannot grow later (ulimit -v) would end the process with a signal.
void GrowStack() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < 4 * kStackBytes) return;
  void* const room = mmap(nullptr, kStackBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    Say("slackline: not enough memory\n");
    std::_Exit(1);
  }
  munmap(room, kStackBytes);
  TouchStack();
}

/// Ends the process where a mapped file cannot be read.
void EndOnBusError(int, siginfo_t* info, void*) {
  const char* const path = FileMap::FileAt(info->si_addr);
  Say("slackline: ");
  if (path != nullptr) Say(path);
  Say(path != nullptr ? ": can no longer be read: the file became shorter, or its disk fails\n"
                      : "a mapped file can no longer be read\n");
  std::_Exit(kBadInput);
}

}  // namespace

void PrepareProcess() {
  OpenClosedStreams();
  signal(SIGXFSZ, SIG_IGN);
  struct sigaction action = {};
  action.sa_sigaction = EndOnBusError;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
  reserve = std::malloc(kReserveBytes);
  std::set_new_handler(ReleaseReserve);
  GrowStack();
}

}  // namespace slackline::internal::program
