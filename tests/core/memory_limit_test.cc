// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <slackline/core/memory_limit.h>
#include <slackline/core/types.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("sizes have three digits and a unit") {
  CHECK(BytesText(0) == "0 bytes");
  CHECK(BytesText(512) == "512 bytes");
  CHECK(BytesText(1000) == "1.00 kB");
  CHECK(BytesText(999600) == "1.00 MB");
  CHECK(BytesText(12.34e9) == "12.3 GB");
  CHECK(BytesText(144e9) == "144 GB");
  CHECK(BytesText(5e21) == "5000 EB");
}

TEST_CASE("sizes that fit are accepted, and sizes beyond every machine refused") {
  CHECK(UsableMemory() > 1e6);
  CHECK(MemoryExcess(1e6).empty());
  CHECK(MemoryExcess(UsableMemory()).empty());
  CHECK(MemoryExcess(0.3 * UsableMemory(), 3).empty());
  CHECK(MemoryExcess(0.3 * UsableMemory(), 4).find("4 processes of this machine need about ") == 0);
  CHECK(MemoryExcess(1e25).find("training needs about 10000000 EB of memory") == 0);
}

namespace {

/// A root folder with files in the layout of control groups.
struct Groups {
  TemporaryFolder folder;
  std::string root = folder.Path("");

  void Write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(folder.Path(path)).parent_path());
    folder.Write(path, text + "\n");
  }
};

}  // namespace

TEST_CASE("without control groups, or without limits in them, memory is not limited") {
  const Groups groups;
  CHECK(ControlGroupMemory(groups.root) == kInfinity);
  groups.Write("proc/self/cgroup", "0::/a/b");
  CHECK(ControlGroupMemory(groups.root) == kInfinity);
  groups.Write("sys/fs/cgroup/a/b/memory.max", "max");
  groups.Write("sys/fs/cgroup/a/b/memory.high", "max");
  groups.Write("sys/fs/cgroup/a/b/memory.current", "1000");
  CHECK(ControlGroupMemory(groups.root) == kInfinity);
}

TEST_CASE("version 2: the least limit from the group up to the root counts, minus what is used") {
  const Groups groups;
  groups.Write("proc/self/cgroup", "0::/a/b");
  groups.Write("sys/fs/cgroup/a/b/memory.max", "5000");
  groups.Write("sys/fs/cgroup/a/b/memory.current", "1000");
  CHECK(ControlGroupMemory(groups.root) == 4000);
  groups.Write("sys/fs/cgroup/a/memory.max", "9000");
  groups.Write("sys/fs/cgroup/a/memory.current", "6000");
  CHECK(ControlGroupMemory(groups.root) == 3000);
  groups.Write("sys/fs/cgroup/a/b/memory.high", "2500");
  CHECK(ControlGroupMemory(groups.root) == 1500);
  groups.Write("sys/fs/cgroup/memory.max", "700");
  CHECK(ControlGroupMemory(groups.root) == 700);
}

TEST_CASE("pages of files do not count as used, and use beyond the limit leaves 0") {
  const Groups groups;
  groups.Write("proc/self/cgroup", "0::/a");
  groups.Write("sys/fs/cgroup/a/memory.max", "5000");
  groups.Write("sys/fs/cgroup/a/memory.current", "4000");
  groups.Write("sys/fs/cgroup/a/memory.stat",
               "anon 1000\nfile 3000\ninactive_file 2000\nactive_file 500");
  CHECK(ControlGroupMemory(groups.root) == 3500);
  groups.Write("sys/fs/cgroup/a/memory.current", "9000");
  CHECK(ControlGroupMemory(groups.root) == 0);
}

TEST_CASE("limits of version 1 count, alone and beside version 2") {
  const Groups groups;
  groups.Write("proc/self/cgroup", "5:cpu:/x\n4:hugetlb,memory:/a/b\n0::/");
  groups.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  groups.Write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "5000");
  groups.Write("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "3000");
  groups.Write("sys/fs/cgroup/memory/a/b/memory.stat", "inactive_file 1\ntotal_inactive_file 1000");
  CHECK(ControlGroupMemory(groups.root) == 3000);
  groups.Write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1");
  CHECK(ControlGroupMemory(groups.root) == 3000);
}

TEST_CASE("in a container the folder of the mount is the group itself") {
  const Groups groups;
  groups.Write("proc/self/cgroup", "0::/system.slice/docker-1.scope");
  groups.Write("sys/fs/cgroup/memory.max", "5000");
  groups.Write("sys/fs/cgroup/memory.current", "1000");
  CHECK(ControlGroupMemory(groups.root) == 4000);
}
