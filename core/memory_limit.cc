// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/memory_limit.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <slackline/core/parse_number.h>
#include <slackline/core/types.h>

namespace slackline::internal {

double PhysicalMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<double>(pages) * static_cast<double>(page_bytes)
                                     : kInfinity;
}

namespace {

/// File names of one version of control groups. `mounts` are relative to the root folder.
struct GroupFiles {
  std::vector<std::string_view> mounts;
  std::vector<std::string_view> limits;
  std::string_view usage;
  std::vector<std::string_view> reclaimable;  // lines of memory.stat
};

const GroupFiles& FilesOf(bool unified) {
  static const GroupFiles kUnified = {{"sys/fs/cgroup", "sys/fs/cgroup/unified"},
                                      {"memory.max", "memory.high"},
                                      "memory.current",
                                      {"active_file", "inactive_file"}};
  static const GroupFiles kFirst = {{"sys/fs/cgroup/memory", "sys/fs/cgroup/cpu,memory"},
                                    {"memory.limit_in_bytes"},
                                    "memory.usage_in_bytes",
                                    {"total_active_file", "total_inactive_file"}};
  return unified ? kUnified : kFirst;
}

/// The number in a file; `otherwise` when the file is missing or holds another word ("max").
double ReadBytes(const std::filesystem::path& path, double otherwise) {
  std::ifstream file(path);
  std::string word;
  double bytes = 0;
  return file >> word && ParseNumber(word, &bytes) ? bytes : otherwise;
}

/// Bytes of file pages in memory, from memory.stat.
double ReclaimableBytes(const std::filesystem::path& group, const GroupFiles& files) {
  std::ifstream file(group / "memory.stat");
  double sum = 0;
  std::string name;
  double bytes = 0;
  while (file >> name >> bytes) {
    const bool counts = std::find(files.reclaimable.begin(), files.reclaimable.end(), name) !=
                        files.reclaimable.end();
    if (counts) sum += bytes;
  }
  return sum;
}

/// Bytes of memory that one group leaves to its processes.
double BytesLeft(const std::filesystem::path& group, const GroupFiles& files) {
  double limit = kInfinity;
  for (const std::string_view name : files.limits) {
    limit = std::min(limit, ReadBytes(group / name, kInfinity));
  }
  if (limit == kInfinity) return limit;
  const double used = ReadBytes(group / files.usage, 0) - ReclaimableBytes(group, files);
  return std::max(0.0, limit - std::max(0.0, used));
}

/// The least that a group and its ancestors leave. In a container the path of the group may be that
/// of the host, which does not exist there; the folder of the mount is then the group itself.
double BytesLeftUpward(const std::filesystem::path& root, std::filesystem::path group,
                       const GroupFiles& files) {
  double bytes = kInfinity;
  for (group = group.relative_path();; group = group.parent_path()) {
    for (const std::string_view mount : files.mounts) {
      bytes = std::min(bytes, BytesLeft(root / mount / group, files));
    }
    if (group.empty()) return bytes;
  }
}

}  // namespace

double ControlGroupMemory(const std::string& root) {
  std::ifstream groups(std::filesystem::path(root) / "proc/self/cgroup");
  double bytes = kInfinity;
  std::string line;  // "4:memory,cpu:/path"; version 2: "0::/path"
  while (std::getline(groups, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",memory,") == std::string::npos) continue;
    bytes = std::min(bytes, BytesLeftUpward(root, line.substr(second + 1), FilesOf(unified)));
  }
  return bytes;
}

double UsableMemory() {
  // Read once: readers call this function in their loops, and later answers would count the memory
  // of this process itself.
  static const double of_groups = ControlGroupMemory();
  double bytes = std::min(PhysicalMemory(), of_groups);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
  }
  return bytes;
}

std::string BytesText(double bytes) {
  constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && bytes >= 999.5; ++unit) bytes /= 1000;
  std::array<char, 64> buffer;
  std::snprintf(buffer.data(), buffer.size(), "%.*f %s",
                unit == 0 || bytes >= 99.95 ? 0
                : bytes >= 9.995            ? 1
                                            : 2,
                bytes, kUnits[unit]);
  return buffer.data();
}

std::string MemoryExcess(double bytes, int processes) {
  const double usable = UsableMemory();
  bytes *= processes;
  if (bytes <= usable) return {};
  const std::string memory = "about " + BytesText(bytes) + " of memory";
  return (processes == 1 ? "training needs " + memory
                         : std::to_string(processes) + " processes of this machine need " + memory +
                               " for training") +
         ", but there are only " + BytesText(usable);
}

}  // namespace slackline::internal
