// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_stream_output.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {

StreamOutput::StreamOutput(const std::string& path) : path_(path.empty() ? "-" : path) {
  if (path_ == "-") return;
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    special_.open(path_, std::ios::binary);
  } else {
    file_.emplace(path_);
  }
}

void StreamOutput::Write(std::string_view bytes) {
  if (path_ == "-") return WriteOutput(path_, bytes);
  if (file_) return file_->Write(bytes);
  errno = 0;
  special_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  special_.flush();
  if (!special_) throw DataError(path_, 0, std::string("writing failed: ") + std::strerror(errno));
}

void StreamOutput::Finish() {
  if (file_) file_->Commit();
}

}  // namespace slackline::internal::program
