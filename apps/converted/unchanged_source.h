// SPDX-License-Identifier: BSD-3-Clause
//
// Text that a conversion reads more than once.
#pragma once

#include <string>
#include <vector>

namespace slackline::internal {

/// Remembers the sizes of a file, or of those of a folder, and when they were changed.
class UnchangedSource {
 public:
  /// Throws DataError on the standard input, on anything else that cannot be read twice, and when
  /// there is no such file. `what`: of the data, for messages.
  UnchangedSource(std::string path, const std::string& what);

  /// Throws DataError when a file has changed.
  void Check() const;

 private:
  std::string path_;
  std::vector<std::string> stamps_;
};

}  // namespace slackline::internal
