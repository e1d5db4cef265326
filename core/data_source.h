// SPDX-License-Identifier: BSD-3-Clause
//
// Where data come from: one file, or a folder whose files part-… each hold a part of them, in the
// order of their names. Every part is a whole file of its format, plain or gzip, and may be empty.
#pragma once

#include <string>
#include <vector>

#include <slackline/core/line_reader.h>
#include <slackline/core/ranks.h>
#include <slackline/core/types.h>

namespace slackline::internal {

struct DataFile {
  std::string path;         ///< "-": the standard input, which can be opened anew
  Offset bytes = 0;         ///< on the disk
  bool compressed = false;  ///< with gzip
};

struct DataSource {
  std::string name;  ///< the path of the file or of the folder; "<stdin>"
  std::vector<DataFile> files;
};

/// Whether the path names a folder. False for "-" and for what does not exist.
bool IsFolder(const std::string& path);

/// Rank 0 looks at the disk, and all ranks get the result. "-", the standard input of rank 0, is
/// first copied (standard_input.h), and is then a file with the path "-". Throws DataError on all
/// ranks on what is not a regular file, which ranks cannot read together, and on a folder without
/// files part-….
DataSource FindDataSource(Ranks& ranks, const std::string& path);

/// All lines of all files.
LineReader ReaderOf(const DataSource& source);

/// Where each file begins among the examples that were read from several files.
class FilePlaces {
 public:
  /// From number `example` (ascending) on, examples are from `file`, which is not `source`.
  void Add(Index example, const std::string& file);
  /// The file of an example; `source` if no file is recorded for it.
  const std::string& FileOf(Index example, const std::string& source) const;
  void Clear() { begins_.clear(); }

 private:
  struct Begin {
    Index example = 0;
    std::string file;
  };
  std::vector<Begin> begins_;
};

}  // namespace slackline::internal
