// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are read in place, in the system's page cache.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/core/types.h>

namespace slackline::internal {

/// A read-only map of whole files, one after the other in one range of addresses; each begins at
/// the beginning of a page. Files can be larger than the memory of the machine. Reading raises
/// SIGBUS (FileAt) where a file has become shorter or its disk fails. A file that is renamed,
/// removed or replaced by renaming stays as it was.
class FileMap {
 public:
  /// Throws DataError when a file is missing, may not be read, or is no regular file.
  explicit FileMap(const std::vector<std::string>& paths);
  ~FileMap();
  FileMap(const FileMap&) = delete;
  FileMap& operator=(const FileMap&) = delete;

  Index num_files() const { return static_cast<Index>(files_.size()); }
  const std::string& path(Index file) const { return files_[Size(file)].path; }
  /// Where a file begins in the range, in bytes.
  std::uint64_t begin(Index file) const { return files_[Size(file)].begin; }
  std::string_view bytes(Index file) const {
    return {data_ + files_[Size(file)].begin, files_[Size(file)].bytes};
  }
  /// The whole range. Bytes between the end of a file and the end of its last page are 0.
  std::string_view bytes() const { return {data_, bytes_}; }

  /// Tells the system that the order of reads cannot be guessed: it then reads ahead only what
  /// WillNeed asks for.
  void ExpectRandomReads() const;
  /// Has the system begin to read these bytes of the range from the disk.
  void WillNeed(std::uint64_t first_byte, std::uint64_t bytes) const;

  /// The path of the file that is mapped at this address; null if none is known. For handlers of
  /// signals: locks and allocates nothing.
  static const char* FileAt(const void* address);

 private:
  struct File {
    std::string path;
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  void Map(const std::vector<int>& descriptors);

  std::vector<File> files_;
  const char* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace slackline::internal
