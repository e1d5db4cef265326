// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_json_log.h>

#include <iostream>

#include <nlohmann/json.hpp>

#include <slackline/core/check.h>

namespace slackline::internal::program {

void JsonLog::Open(const std::string& path) {
  path_ = path;
  if (path == "-") {
    log_ = &std::cout;
  } else {
    file_.open(path, std::ios::binary | std::ios::trunc);
    if (!file_) throw DataError(path, 0, "cannot open the log for writing");
    log_ = &file_;
  }
}

void JsonLog::Write(const Json& json) { *log_ << JsonLine(json) << std::endl; }

void JsonLog::Check() const {
  if (log_ == nullptr || *log_) return;
  throw DataError(path_ == "-" ? "<stdout>" : path_, 0, "the log could not be written completely");
}

}  // namespace slackline::internal::program
