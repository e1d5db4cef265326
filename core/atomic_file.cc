// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/atomic_file.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kLargestStep = std::size_t{1} << 20;  // bytes at a time
constexpr int kMostTemporaries = 10000;                     // of one target

/// The file that saving to `path` replaces, with symbolic links resolved. Throws DataError when
/// that file must not be replaced.
std::string ResolveTarget(const std::string& path) {
  if (path.empty()) throw DataError("the name of the file is empty");
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const fs::path target = fs::is_symlink(fs::symlink_status(path, error))
                              ? fs::weakly_canonical(path, error)
                              : fs::path(path);
  if (fs::is_directory(status)) throw DataError(path, 0, "is a directory, not a file");
  // Renaming over a device or a pipe would replace it.
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw DataError(path, 0, "is not a regular file");
  if (fs::exists(status) && access(path.c_str(), W_OK) != 0) {
    throw DataError(path, 0, std::string("cannot write here: ") + std::strerror(errno));
  }
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    throw DataError(path, 0, "there is no folder '" + folder.string() + "'");
  return target.string();
}

/// Makes a rename durable. Failures are ignored: not all file systems support it, and the content
/// of the file is already safe.
void SyncFolder(const std::string& target) {
  const std::filesystem::path folder = std::filesystem::path(target).parent_path();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

std::string TemporaryName(const std::string& target, int number) {
  return target + ".slackline-tmp-" + std::to_string(number);
}

/// Whether `path` names the open file.
bool IsNameOf(const std::string& path, int descriptor) {
  struct stat named {};
  struct stat opened {};
  return lstat(path.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/// Calls flock again when a signal interrupts it; false on any other failure.
bool Lock(int descriptor, int operation) {
  int result = 0;
  do {
    result = flock(descriptor, operation);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

/// Creates a file and locks it. Returns its descriptor, or -1 with errno: EEXIST, EAGAIN when
/// another process took the file for an abandoned one before it was locked, or any other error of
/// open. On file systems without locks the file stays unlocked, and no other process removes it.
int OpenLocked(const std::string& path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return -1;
  if (!Lock(descriptor, LOCK_EX) || IsNameOf(path, descriptor)) return descriptor;
  close(descriptor);
  errno = EAGAIN;
  return -1;
}

/// Removes the temporary file unless a living process has locked it, and returns whether the file
/// was removed. Files are renamed only under the lock, so `path` still names the locked file when
/// it is removed.
bool RemoveAbandoned(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct stat status {};
  const bool removed = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                       Lock(descriptor, LOCK_EX | LOCK_NB) && IsNameOf(path, descriptor) &&
                       unlink(path.c_str()) == 0;
  close(descriptor);
  return removed;
}

/// The folder that AtomicFolder makes. Throws DataError when it cannot.
std::string ResolveFolder(const std::string& path) {
  namespace fs = std::filesystem;
  std::string target = path.substr(0, path.find_last_not_of('/') + 1);
  if (target.empty()) throw DataError(path, 0, "is no new folder");
  std::error_code error;
  if (fs::exists(fs::symlink_status(target, error)) &&
      !(fs::is_directory(target, error) && fs::is_empty(target, error)))
    throw DataError(path, 0, "is there already: give a new folder, or an empty one");
  const fs::path around = fs::path(target).parent_path();
  if (!around.empty() && !fs::is_directory(around, error))
    throw DataError(path, 0, "there is no folder '" + around.string() + "'");
  return target;
}

/// As OpenLocked, for a folder.
int MakeLockedFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) != 0) return -1;
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  if (!Lock(descriptor, LOCK_EX) || IsNameOf(path, descriptor)) return descriptor;
  close(descriptor);
  errno = EAGAIN;
  return -1;
}

/// As RemoveAbandoned, for a folder.
bool RemoveAbandonedFolder(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return false;
  std::error_code error;
  const bool removed = Lock(descriptor, LOCK_EX | LOCK_NB) && IsNameOf(path, descriptor) &&
                       std::filesystem::remove_all(path, error) > 0 && !error;
  close(descriptor);
  return removed;
}

}  // namespace

std::uint32_t Crc32(std::string_view bytes, std::uint32_t before) {
  uLong sum = before;
  while (!bytes.empty()) {
    const std::string_view step = bytes.substr(0, kLargestStep);
    sum = crc32(sum, reinterpret_cast<const Bytef*>(step.data()), static_cast<uInt>(step.size()));
    bytes.remove_prefix(step.size());
  }
  return static_cast<std::uint32_t>(sum);
}

bool WriteAt(int descriptor, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(count);
    offset += static_cast<std::uint64_t>(count);
  }
  return true;
}

int OpenUnnamedFile(const std::string& folder) {
  std::string name = folder + "/slackline-XXXXXX";
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) return descriptor;
  unlink(name.c_str());
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
}

AtomicFile::AtomicFile(const std::string& path) : target_(ResolveTarget(path)) {
  int number = 1;
  while (descriptor_ < 0) {
    temporary_ = TemporaryName(target_, number);
    descriptor_ = OpenLocked(temporary_);
    if (descriptor_ >= 0 || errno == EAGAIN) continue;
    if (errno != EEXIST || number == kMostTemporaries) {
      throw DataError(target_, 0, std::string("cannot write here: ") + std::strerror(errno));
    }
    if (!RemoveAbandoned(temporary_)) ++number;
  }
  lock_ = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  while (RemoveAbandoned(TemporaryName(target_, number + 1))) ++number;
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
  if (descriptor_ >= 0) close(descriptor_);
  if (lock_ >= 0) close(lock_);
}

void AtomicFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), std::min(bytes.size(), kLargestStep));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) Fail();
    bytes.remove_prefix(count);
  }
}

void AtomicFile::Rewrite(std::uint64_t offset, std::string_view bytes) {
  if (!WriteAt(descriptor_, offset, bytes)) Fail();
}

void AtomicFile::Truncate(std::uint64_t length) {
  const auto end = static_cast<off_t>(length);
  if (ftruncate(descriptor_, end) != 0 || lseek(descriptor_, end, SEEK_SET) != end) Fail();
}

void AtomicFile::Commit() {
  if (fsync(descriptor_) != 0) Fail();
  if (close(std::exchange(descriptor_, -1)) != 0) Fail();
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) Fail();
  temporary_.clear();
  if (lock_ >= 0) close(std::exchange(lock_, -1));
  SyncFolder(target_);
}

void AtomicFile::Fail() const {
  throw DataError(target_, 0, std::string("writing failed: ") + std::strerror(errno));
}

AtomicFolder::AtomicFolder(const std::string& path) : target_(ResolveFolder(path)) {
  int number = 1;
  while (lock_ < 0) {
    temporary_ = TemporaryName(target_, number);
    lock_ = MakeLockedFolder(temporary_);
    if (lock_ >= 0 || errno == EAGAIN) continue;
    if (errno != EEXIST || number == kMostTemporaries) Fail();
    if (!RemoveAbandonedFolder(temporary_)) ++number;
  }
}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
  if (lock_ >= 0) close(lock_);
}

void AtomicFolder::Commit() {
  fsync(lock_);
  // Replaces an empty folder; fails where files have come into it.
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) Fail();
  temporary_.clear();
  SyncFolder(target_);
}

void AtomicFolder::Fail() const {
  throw DataError(target_, 0, std::string("cannot write here: ") + std::strerror(errno));
}

void WriteFileAtomically(const std::string& path, std::string_view bytes) {
  AtomicFile file(path);
  file.Write(bytes);
  file.Commit();
}

void CheckWritable(const std::string& path) { AtomicFile probe(path); }

}  // namespace slackline::internal
