// SPDX-License-Identifier: BSD-3-Clause
//
// Files and folders that appear complete or not at all, files without a name, and the checksum that
// guards files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slackline::internal {

/// zlib's CRC-32 of `bytes`, continued from the checksum `before` of the bytes that precede them.
std::uint32_t Crc32(std::string_view bytes, std::uint32_t before = 0);

/// Writes all bytes from `offset` on. False, with the reason in errno, when the system refuses.
bool WriteAt(int descriptor, std::uint64_t offset, std::string_view bytes);

/// Makes a new empty file without a name in the folder, for reading and writing. The file is gone
/// when all its descriptors are closed. −1, with the reason in errno, when the system refuses.
int OpenUnnamedFile(const std::string& folder);

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
  /// Removes the bytes from `length` on. Requires that as many were written.
  void Truncate(std::uint64_t length);
  /// Where the bytes are before Commit. They can be read there.
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

/// A new folder that appears with all of its files, or not at all. The files go to a temporary
/// folder, path + ".slackline-tmp-<number>", which is then renamed. Without Commit nothing remains.
/// As with AtomicFile, the temporary folder is locked, and is removed later if the process is
/// killed.
class AtomicFolder {
 public:
  /// Throws DataError when `path` is something other than an empty folder, when the folder around
  /// it is missing, or permission is lacking.
  explicit AtomicFolder(const std::string& path);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// Where the files are before Commit.
  const std::string& temporary() const { return temporary_; }
  /// Gives the folder its name. Its files must be on the disk. Throws DataError on failure.
  void Commit();

 private:
  [[noreturn]] void Fail() const;

  std::string target_;
  std::string temporary_;  // empty after Commit
  int lock_ = -1;
};

/// Writes `bytes` to a file through AtomicFile. Throws DataError on failure.
void WriteFileAtomically(const std::string& path, std::string_view bytes);

/// Throws DataError when AtomicFile could not write `path`. Meant to be called before long work.
/// Leaves nothing behind and does not touch an existing file (it creates and removes the temporary
/// file).
void CheckWritable(const std::string& path);

}  // namespace slackline::internal
