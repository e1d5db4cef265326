// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/growing_array.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

// The file doubles up to this size and then grows by this size, which bounds the room reserved in
// vain.
constexpr std::size_t kLargestGrowth = std::size_t{256} << 20;
constexpr std::size_t kFirstBytes = std::size_t{1} << 20;

[[noreturn]] void FailInFolder(const std::string& folder, const char* what, int error) {
  throw DataError(folder, 0, std::string(what) + ": " + std::strerror(error));
}

}  // namespace

MappedFile::MappedFile(const std::string& folder)
    : folder_(folder), descriptor_(OpenUnnamedFile(folder)) {
  if (descriptor_ < 0) FailInFolder(folder_, "cannot make a file in this folder", errno);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, capacity_);
  close(descriptor_);
}

void MappedFile::Reserve(std::size_t bytes) {
  if (bytes <= capacity_) return;
  const std::size_t grown = std::max(capacity_ + std::min(capacity_, kLargestGrowth), bytes);
  const std::size_t capacity = (grown + kFirstBytes - 1) / kFirstBytes * kFirstBytes;
  // Without the reservation, a full disk would show by a signal when a page is written.
  const int error = posix_fallocate(descriptor_, 0, static_cast<off_t>(capacity));
  if (error != 0) FailInFolder(folder_, "cannot make a file in this folder larger", error);
  void* const data = mmap(nullptr, capacity, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (data == MAP_FAILED) FailInFolder(folder_, "cannot map a file in this folder", errno);
  // Learners visit examples in random order. Without this advice the system would read megabytes
  // ahead of a row, in vain.
  madvise(data, capacity, MADV_RANDOM);
  if (data_ != nullptr) munmap(data_, capacity_);
  data_ = data;
  capacity_ = capacity;
}

// Not through the mapping: the system would read every page before writing it.
void MappedFile::Write(std::size_t first_byte, std::string_view bytes) {
  if (!WriteAt(descriptor_, first_byte, bytes))
    FailInFolder(folder_, "cannot write to a file in this folder", errno);
}

void MappedFile::WillNeed(std::size_t first_byte, std::size_t bytes) const {
  static const std::size_t page = sysconf(_SC_PAGESIZE);
  const std::size_t begin = first_byte / page * page;
  madvise(static_cast<char*>(data_) + begin, first_byte + bytes - begin, MADV_WILLNEED);
}

}  // namespace slackline::internal
