// SPDX-License-Identifier: BSD-3-Clause
//
// Files that appear complete or not at all, and the checksum that guards them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slackline::internal {

/// zlib's CRC-32, of `bytes` behind others whose checksum is `before`.
std::uint32_t Crc32(std::string_view bytes, std::uint32_t before = 0);

/// A file that is written so that at any moment `path` holds either the old file or the complete
/// new one: into a temporary file path + ".slackline-tmp-<number>" first, which is forced to the
/// disk and then renamed. A symbolic link is followed. Without Commit nothing remains. The
/// temporary file is locked while it is written: what a process leaves behind that is killed has no
/// lock, and the next AtomicFile for the path removes it; that of a living process stays, and gets
/// its turn.
class AtomicFile {
 public:
  /// Throws DataError when the file cannot be written: its folder is missing, permission is
  /// lacking, or something that is not a regular file is there.
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends. Throws DataError, as all that follows.
  void Write(std::string_view bytes);
  /// Replaces bytes from `offset` on, which were written before.
  void Rewrite(std::uint64_t offset, std::string_view bytes);
  /// Makes the file the target.
  void Commit();

 private:
  [[noreturn]] void Fail() const;

  std::string target_;
  std::string temporary_;  // exists and is ours; empty after Commit
  int descriptor_ = -1;
  int lock_ = -1;  // holds the lock until the temporary file has its final name
};

/// Writes any bytes to a file by AtomicFile.
void WriteFileAtomically(const std::string& path, std::string_view bytes);

/// Throws DataError when AtomicFile could not write `path`. Meant to be called before long work;
/// nothing is left behind and an existing file is not touched (the temporary file is created and
/// removed).
void CheckWritable(const std::string& path);

}  // namespace slackline::internal
