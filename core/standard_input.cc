// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/standard_input.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 22;

[[noreturn]] void FailOnStdin(const std::string& what, int error) {
  throw DataError("<stdin>", 0, what + ": " + std::strerror(error));
}

/// Closes a descriptor, unless it is negative.
class OwnedDescriptor {
 public:
  OwnedDescriptor() = default;
  ~OwnedDescriptor() { Set(-1); }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;

  void Set(int descriptor) {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = descriptor;
  }
  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }

 private:
  int descriptor_ = -1;
};

/// An open file of a process, and how to tell that another process sees the same one.
struct OpenFile {
  std::array<char, 36> machine{};  // differs after every start of a machine
  pid_t process = 0;
  int descriptor = -1;
  dev_t device = 0;
  ino_t number = 0;
};

OpenFile Describe(int descriptor) {
  OpenFile file;
  std::ifstream("/proc/sys/kernel/random/boot_id").read(file.machine.data(), file.machine.size());
  file.process = getpid();
  file.descriptor = descriptor;
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return file;
  file.device = status.st_dev;
  file.number = status.st_ino;
  return file;
}

/// Opens the file of another process; the result is negative where this process cannot.
int OpenAnew(const OpenFile& file) {
  const std::string path =
      "/proc/" + std::to_string(file.process) + "/fd/" + std::to_string(file.descriptor);
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return descriptor;
  const OpenFile opened = Describe(descriptor);
  // In a container the process may be another one.
  if (file.machine[0] != 0 && opened.machine == file.machine && opened.device == file.device &&
      opened.number == file.number)
    return descriptor;
  close(descriptor);
  return -1;
}

std::string TemporaryFolder() {
  const char* const folder = std::getenv("TMPDIR");
  return folder == nullptr || *folder == 0 ? "/tmp" : folder;
}

int MakeFile() {
  const std::string folder = TemporaryFolder();
  const int descriptor = OpenUnnamedFile(folder);
  if (descriptor < 0) FailOnStdin("cannot make a file in " + folder + " (TMPDIR)", errno);
  return descriptor;
}

/// Fills the piece unless the input ends before; returns the number of bytes.
std::size_t ReadPiece(std::span<char> piece) {
  std::size_t count = 0;
  while (count < piece.size()) {
    const ssize_t got = read(STDIN_FILENO, piece.data() + count, piece.size() - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) FailOnStdin("cannot be read", errno);
    if (got == 0) break;
    count += static_cast<std::size_t>(got);
  }
  return count;
}

void WritePiece(int descriptor, std::uint64_t place, std::string_view piece) {
  if (WriteAt(descriptor, place, piece)) return;
  FailOnStdin(
      "cannot be copied to " + TemporaryFolder() + " (set TMPDIR to a folder with room for it)",
      errno);
}

}  // namespace

void ShareStandardInput(Ranks& ranks, CopyAccess access) {
  OwnedDescriptor file;
  OpenFile of_first;
  OnAllRanks(ranks, [&] {
    if (!ranks.first()) return;
    file.Set(MakeFile());
    of_first = Describe(file.get());
  });
  ranks.TakeFromFirst(&of_first);
  if (!ranks.first() && access == CopyAccess::kSameMachine) file.Set(OpenAnew(of_first));
  const bool shares = !ranks.first() && file.open();
  const bool sends = ranks.Any(!ranks.first() && !shares);
  OnAllRanks(ranks, [&] {
    if (!file.open()) file.Set(MakeFile());
  });
  std::vector<char> piece(ranks.first() || sends ? kPiece : 0);
  for (std::uint64_t place = 0;;) {
    std::size_t count = 0;
    OnAllRanks(ranks, [&] {
      if (ranks.first()) count = ReadPiece(piece);
    });
    ranks.TakeFromFirst(&count);
    if (count == 0) break;
    if (sends) ranks.Broadcast(std::as_writable_bytes(std::span(piece).first(count)));
    OnAllRanks(ranks, [&] {
      if (!shares) WritePiece(file.get(), place, {piece.data(), count});
    });
    place += count;
  }
  OnAllRanks(ranks, [&] {
    if (dup2(file.get(), STDIN_FILENO) < 0) FailOnStdin("cannot be replaced by its copy", errno);
  });
}

}  // namespace slackline::internal
