// SPDX-License-Identifier: BSD-3-Clause
//
// Text that a conversion reads more than once.
#pragma once

#include <string>
#include <vector>

namespace slackline::internal {

/// Remembers the size and the time of the last change of a file, or of the files of a folder.
class UnchangedSource {
 public:
  /// Throws DataError on the standard input, on anything else that cannot be read twice, and when
  /// there is no such file. what: what the data are, for messages.
  UnchangedSource(std::string path, const std::string& what);

  /// Throws DataError when a file has changed.
  void Check() const;

 private:
  std::string path_;
  std::vector<std::string> stamps_;
};

}  // namespace slackline::internal
