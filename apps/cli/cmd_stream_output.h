// SPDX-License-Identifier: BSD-3-Clause
//
// Output written piece by piece. Part of the program only.
#pragma once

#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <slackline/core/atomic_file.h>

namespace slackline::internal::program {

/// Writes every piece immediately to the standard output ("" or "-"), a device or a pipe. A regular
/// file appears complete with Finish, or not at all. Throws DataError when writing fails.
class StreamOutput {
 public:
  explicit StreamOutput(const std::string& path);

  void Write(std::string_view bytes);
  void Finish();

 private:
  std::string path_;
  std::optional<AtomicFile> file_;
  std::ofstream special_;
};

}  // namespace slackline::internal::program
