// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/converted/unchanged_source.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/data_source.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {
namespace {

std::vector<std::string> StampsOf(const std::string& path) {
  std::vector<std::string> stamps;
  for (const DataFile& file : FindDataSource(OneRank(), path).files) {
    std::error_code error;
    const auto changed = std::filesystem::last_write_time(file.path, error);
    stamps.push_back(file.path + ' ' + std::to_string(file.bytes) + ' ' +
                     std::to_string(changed.time_since_epoch().count()));
  }
  return stamps;
}

}  // namespace

UnchangedSource::UnchangedSource(std::string path, const std::string& what)
    : path_(std::move(path)) {
  if (path_ == "-")
    throw DataError("<stdin>", 0,
                    what + ", which is not possible with the standard input: save it in a file");
  stamps_ = StampsOf(path_);
}

void UnchangedSource::Check() const {
  if (StampsOf(path_) == stamps_) return;
  throw DataError(path_, 0, "changed while it was converted: convert it again");
}

}  // namespace slackline::internal
