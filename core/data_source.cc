// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/data_source.h>

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/gzip_input.h>
#include <slackline/core/standard_input.h>

namespace slackline::internal {
namespace {

DataFile LookAt(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw DataError(path, 0, "is not a file on a disk, which several processes can read");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw DataError(path, 0, std::string("cannot open the file: ") + std::strerror(errno));
  DataFile file{path, 0, GzipInput(descriptor).compressed()};
  file.bytes = static_cast<Offset>(std::filesystem::file_size(path, error));
  if (error) throw DataError(path, 0, "cannot open the file: " + error.message());
  return file;
}

/// Whether an editor or a copying program has left this file, beside the data.
bool IsLeftover(std::string_view name) {
  constexpr std::string_view kEnds[] = {"~", ".bak", ".orig", ".tmp", ".swp", ".crc"};
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

std::vector<DataFile> PartsOf(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with("part-") && !IsLeftover(name)) paths.push_back(at->path().string());
  }
  if (error) throw DataError(folder, 0, "cannot read the folder: " + error.message());
  if (paths.empty())
    throw DataError(folder, 0, "is a directory, not a file, and has no files part-… of data");
  std::sort(paths.begin(), paths.end());
  std::vector<DataFile> files;
  for (const std::string& path : paths) files.push_back(LookAt(path));
  return files;
}

std::vector<DataFile> FilesOf(const std::string& path) {
  if (IsFolder(path)) return PartsOf(path);
  return {LookAt(path)};
}

/// The standard input, which all ranks can open from now on (standard_input.h).
DataSource StandardInput(Ranks& ranks) {
  ShareStandardInput(ranks);
  DataSource source{"<stdin>", {}};
  OnAllRanks(ranks, [&] {
    source.files = {LookAt("/dev/stdin")};
    source.files.front().path = "-";
  });
  return source;
}

/// What ranks send about a file, besides its path.
struct FileEntry {
  std::size_t path_length = 0;
  Offset bytes = 0;
  bool compressed = false;
};

}  // namespace

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_directory(path, ignored);
}

DataSource FindDataSource(Ranks& ranks, const std::string& path) {
  if (path == "-") return StandardInput(ranks);
  DataSource source{path, {}};
  OnAllRanks(ranks, [&] {
    if (ranks.first()) source.files = FilesOf(path);
  });
  std::vector<FileEntry> entries;
  std::string paths;
  for (const DataFile& file : source.files) {
    entries.push_back({file.path.size(), file.bytes, file.compressed});
    paths += file.path;
  }
  entries = ranks.Join(std::span<const FileEntry>(entries));
  paths = ranks.GatherTexts(paths).front();
  source.files.clear();
  std::size_t begin = 0;
  for (const FileEntry& entry : entries) {
    source.files.push_back({paths.substr(begin, entry.path_length), entry.bytes, entry.compressed});
    begin += entry.path_length;
  }
  return source;
}

LineReader ReaderOf(const DataSource& source) {
  std::vector<FilePart> parts;
  for (const DataFile& file : source.files) parts.push_back({file.path});
  return LineReader(source.name, std::move(parts));
}

void FilePlaces::Add(Index example, const std::string& file) {
  if (begins_.empty() || begins_.back().file != file) begins_.push_back({example, file});
}

const std::string& FilePlaces::FileOf(Index example, const std::string& source) const {
  const auto after =
      std::upper_bound(begins_.begin(), begins_.end(), example,
                       [](Index m, const Begin& begin) { return m < begin.example; });
  return after == begins_.begin() ? source : std::prev(after)->file;
}

}  // namespace slackline::internal
