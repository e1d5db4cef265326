// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/memory_limit.h>

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
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

/// The number of the group's folder, which is the same in all mounts of the group's hierarchy. The
/// last bit keeps the two versions apart.
std::uint64_t NumberOfGroup(const std::filesystem::path& group, bool unified) {
  struct stat status {};
  if (stat(group.c_str(), &status) != 0) return 0;
  return 2 * static_cast<std::uint64_t>(status.st_ino) + (unified ? 1 : 0);
}

/// Appends a group and its ancestors, where they have limits. In a container the group's path may
/// be its path on the host, which does not exist there; the folder of the mount is then the group
/// itself.
void AddUpward(const std::filesystem::path& root, std::filesystem::path group, bool unified,
               std::vector<GroupMemory>* limits) {
  const GroupFiles& files = FilesOf(unified);
  for (group = group.relative_path();; group = group.parent_path()) {
    for (const std::string_view mount : files.mounts) {
      const std::filesystem::path folder = root / mount / group;
      const double bytes = BytesLeft(folder, files);
      if (bytes < kInfinity) limits->push_back({NumberOfGroup(folder, unified), bytes});
    }
    if (group.empty()) return;
  }
}

double AddressSpace() {
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? static_cast<double>(limit.rlim_cur) : kInfinity;
}

/// From the random number that the kernel draws when the machine starts. Containers have the number
/// of their machine.
std::size_t ThisMachine() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  file >> text;
  return std::hash<std::string>()(text);
}

}  // namespace

std::vector<GroupMemory> LimitedGroups(const std::string& root) {
  std::ifstream groups(std::filesystem::path(root) / "proc/self/cgroup");
  std::vector<GroupMemory> limits;
  std::string line;  // "4:memory,cpu:/path"; version 2: "0::/path"
  while (std::getline(groups, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool unified = controllers == ",,";
    if (!unified && controllers.find(",memory,") == std::string::npos) continue;
    AddUpward(root, line.substr(second + 1), unified, &limits);
  }
  return limits;
}

double ControlGroupMemory(const std::string& root) {
  double bytes = kInfinity;
  for (const GroupMemory& limit : LimitedGroups(root)) bytes = std::min(bytes, limit.bytes);
  return bytes;
}

double UsableMemory() {
  // Read once: readers call this function in their loops, and later answers would count the memory
  // of this process itself.
  static const double of_groups = ControlGroupMemory();
  return std::min({PhysicalMemory(), of_groups, AddressSpace()});
}

MemoryShare SharedMemory(Ranks& ranks, const std::string& root) {
  if (ranks.alone()) return {UsableMemory(), 1};
  struct Limit {
    std::size_t machine;
    GroupMemory group;
  };
  std::vector<Limit> mine;
  const std::size_t machine = ThisMachine();
  for (const GroupMemory& group : LimitedGroups(root)) mine.push_back({machine, group});
  const std::vector<Limit> all = ranks.Join(std::span<const Limit>(mine));
  MemoryShare least{PhysicalMemory(), ranks.ranks_on_this_machine()};
  const auto consider = [&](const MemoryShare& share) {
    if (share.bytes * least.processes < least.bytes * share.processes) least = share;
  };
  consider({AddressSpace(), 1});
  for (const Limit& limit : mine) {
    MemoryShare share{limit.group.bytes, 0};
    for (const Limit& other : all) {
      if (other.machine != limit.machine || other.group.group != limit.group.group) continue;
      ++share.processes;
      share.bytes = std::min(share.bytes, other.group.bytes);  // read at different times
    }
    consider(share);
  }
  return least;
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

std::string MemoryExcess(double bytes) { return MemoryExcess(bytes, {UsableMemory(), 1}); }

std::string MemoryExcess(double bytes, const MemoryShare& share) {
  const auto& [usable, processes] = share;
  bytes *= processes;
  if (bytes <= usable) return {};
  const std::string memory = "about " + BytesText(bytes) + " of memory";
  return (processes == 1 ? "training needs " + memory
                         : std::to_string(processes) + " processes of this machine need " + memory +
                               " for training") +
         ", but there are only " + BytesText(usable);
}

}  // namespace slackline::internal
