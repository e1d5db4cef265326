// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cmd_startup.h>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

namespace slackline::program {
namespace {

constexpr std::size_t kReserveBytes = std::size_t{1} << 18;

std::atomic<void*> reserve{nullptr};

/// Opened the wrong way round, the input for writing: using the stream fails as if it were closed.
void OpenClosedStreams() {
  constexpr int kModes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream = 0; stream < 3; ++stream) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number is this one, since those before it are in use.
    if (open("/dev/null", kModes[stream]) != stream) std::_Exit(1);
  }
}

/// The new handler: throws, but sets the reserve free first. Destructors of JSON values allocate,
/// and must not throw.
void ReleaseReserve() {
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

/// Writes without allocating. Nothing can be done where the message cannot be written.
void Say(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) std::_Exit(1);
}

/// For errors where no exception can pass, such as memory that ends in a destructor.
[[noreturn]] void EndAtOnce() {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    Say("slackline: internal error: the program cannot go on\n");
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

}  // namespace

void PrepareProcess() {
  OpenClosedStreams();
  signal(SIGXFSZ, SIG_IGN);
  reserve = std::malloc(kReserveBytes);
  std::set_new_handler(ReleaseReserve);
  std::set_terminate(EndAtOnce);
}

}  // namespace slackline::program
