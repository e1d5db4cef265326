// SPDX-License-Identifier: BSD-3-Clause
//
// Files that appear complete or not at all, and the checksum that guards them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slackline::internal {

/// zlib's CRC-32 of `bytes`, continued from the checksum `before` of the bytes that precede them.
std::uint32_t Crc32(std::string_view bytes, std::uint32_t before = 0);

/// Writes all bytes from `offset` on. False, with the reason in errno, when the system refuses.
bool WriteAt(int descriptor, std::uint64_t offset, std::string_view bytes);

/// A file written such that `path` holds either the old file or the complete new one at any moment.
/// The bytes go to a temporary file, path + ".slackline-tmp-<number>", which is flushed to the disk
/// and then renamed. A symbolic link is followed. Without Commit nothing remains. The temporary
/// file is locked while it is written: a process that is killed leaves an unlocked file, which the
/// next AtomicFile for the same path removes. The temporary file of a living process is left alone,
/// and that process can still commit it.
class AtomicFile {
 public:
  /// Throws DataError when the file cannot be written: its folder is missing, permission is
  /// lacking, or something that is not a regular file is there.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes. Throws DataError on failure, as do Rewrite and Commit.
  void Write(std::string_view bytes);
  /// Overwrites bytes from `offset` on, which were written before.
  void Rewrite(std::uint64_t offset, std::string_view bytes);
  /// Where the bytes are before Commit. All that was written can be read there.
  const std::string& temporary() const { return temporary_; }
  /// Flushes the file to the disk and renames it to the target.
  void Commit();

 private:
  [[noreturn]] void Fail() const;

  std::string target_;
  std::string temporary_;  // the file being written; empty after Commit
  int descriptor_ = -1;
  int lock_ = -1;  // holds the lock until the temporary file has its final name
};

/// Writes `bytes` to a file through AtomicFile. Throws DataError on failure.
void WriteFileAtomically(const std::string& path, std::string_view bytes);

/// Throws DataError when AtomicFile could not write `path`. Meant to be called before long work;
/// nothing is left behind and an existing file is not touched (the temporary file is created and
/// removed).
void CheckWritable(const std::string& path);

}  // namespace slackline::internal
