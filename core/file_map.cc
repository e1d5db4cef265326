// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/file_map.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

std::uint64_t PageBytes() {
  static const auto bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

[[noreturn]] void Fail(const std::string& path, const char* what, int error) {
  throw DataError(path, 0, std::string(what) + ": " + std::strerror(error));
}

/// The maps that FileAt knows. If there are more maps, it does not know some of them.
std::array<std::atomic<const FileMap*>, 16> known_maps;
static_assert(std::atomic<const FileMap*>::is_always_lock_free, "used in handlers of signals");

/// Closes the descriptors at the end.
struct OpenFiles {
  ~OpenFiles() {
    for (const int descriptor : descriptors) close(descriptor);
  }
  std::vector<int> descriptors;
};

/// Opens a regular file and sets its size.
int OpenRegular(const std::string& path, std::uint64_t* bytes) {
  // Without O_NONBLOCK, opening a pipe would wait for the other end.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) Fail(path, "cannot open the file", errno);
  struct stat status {};
  const bool known = fstat(descriptor, &status) == 0;
  if (known && S_ISREG(status.st_mode)) {
    *bytes = static_cast<std::uint64_t>(status.st_size);
    return descriptor;
  }
  const int error = errno;
  close(descriptor);
  if (!known) Fail(path, "cannot read the file", error);
  throw DataError(path, 0,
                  S_ISDIR(status.st_mode) ? "is a directory, not a file" : "is not a regular file");
}

}  // namespace

FileMap::FileMap(const std::vector<std::string>& paths) {
  OpenFiles open;
  for (const std::string& path : paths) {
    std::uint64_t bytes = 0;
    open.descriptors.push_back(OpenRegular(path, &bytes));
    files_.push_back({path, bytes_, bytes});
    bytes_ += (bytes + PageBytes() - 1) / PageBytes() * PageBytes();
  }
  if (bytes_ > 0) Map(open.descriptors);
}

void FileMap::Map(const std::vector<int>& descriptors) {
  // The range is reserved first, so that the files lie beside each other.
  void* const range =
      mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) Fail(files_.front().path, "cannot map the file", errno);
  char* const data = static_cast<char*>(range);
  for (std::size_t f = 0; f < files_.size(); ++f) {
    if (files_[f].bytes == 0) continue;
    if (mmap(data + files_[f].begin, files_[f].bytes, PROT_READ, MAP_SHARED | MAP_FIXED,
             descriptors[f], 0) != MAP_FAILED)
      continue;
    const int error = errno;
    munmap(range, bytes_);
    Fail(files_[f].path, "cannot map the file", error);
  }
  data_ = data;
  for (std::atomic<const FileMap*>& known : known_maps) {
    const FileMap* free = nullptr;
    if (known.compare_exchange_strong(free, this)) break;
  }
}

const char* FileMap::FileAt(const void* address) {
  for (const std::atomic<const FileMap*>& known : known_maps) {
    const FileMap* const map = known.load();
    if (map == nullptr) continue;
    const auto place =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(map->data_);
    if (place >= map->bytes_) continue;
    const char* path = nullptr;
    for (const File& file : map->files_) path = file.begin <= place ? file.path.c_str() : path;
    return path;
  }
  return nullptr;
}

FileMap::~FileMap() {
  for (std::atomic<const FileMap*>& known : known_maps) {
    const FileMap* own = this;
    known.compare_exchange_strong(own, nullptr);
  }
  if (data_ != nullptr) munmap(const_cast<char*>(data_), bytes_);
}

void FileMap::ExpectRandomReads() const {
  if (data_ != nullptr) madvise(const_cast<char*>(data_), bytes_, MADV_RANDOM);
}

void FileMap::WillNeed(std::uint64_t first_byte, std::uint64_t bytes) const {
  // The system reads at most so much for one request, and ignores the rest.
  constexpr std::uint64_t kStep = std::uint64_t{1} << 19;
  const std::uint64_t end = std::min(first_byte + bytes, bytes_);
  for (std::uint64_t at = first_byte / PageBytes() * PageBytes(); at < end; at += kStep)
    madvise(const_cast<char*>(data_) + at, std::min(kStep, end - at), MADV_WILLNEED);
}

}  // namespace slackline::internal
