// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include <slackline/core/memory_limit.h>
#include <slackline/core/types.h>
#include <tests/core/temporary_folder.h>
#include <tests/support/thread_ranks.h>

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
  CHECK(MemoryExcess(3e6, {1e7, 3}).empty());
  CHECK(MemoryExcess(3e6, {1e7, 4}) ==
        "4 processes of this machine need about 12.0 MB of memory for training, but there are only "
        "10.0 MB");
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

TEST_CASE("a limit of one group is shared by the ranks in it, and one of a rank is its own") {
  const Groups groups;
  // Ranks 0 and 1 are in one step of a job with 6000 bytes, rank 2 is in a container of its own.
  groups.Write("0/proc/self/cgroup", "0::/job/step");
  groups.Write("2/proc/self/cgroup", "0::/");
  groups.Write("2/sys/fs/cgroup/memory.max", "5000");
  groups.Write("0/sys/fs/cgroup/job/step/memory.max", "max");
  groups.Write("0/sys/fs/cgroup/job/memory.max", "6000");
  groups.Write("0/sys/fs/cgroup/job/memory.current", "1000");
  for (const bool own : {false, true}) {
    // The task of rank 0 may have a smaller limit.
    if (own) groups.Write("0/sys/fs/cgroup/job/step/memory.max", "2000");
    OnThreadRanks(3, [&](ThreadRanks& ranks) {
      ranks.set_ranks_on_this_machine(3);
      const MemoryShare share =
          SharedMemory(ranks, groups.folder.Path(ranks.rank() == 2 ? "2" : "0"));
      CHECK(share.processes == (ranks.rank() == 2 ? 1 : 2));
      CHECK(share.bytes == (ranks.rank() == 2 ? 5000 : own ? 2000 : 5000));
    });
  }
}

TEST_CASE("without limits of their own, the ranks of a machine share its memory") {
  const Groups groups;
  groups.Write("proc/self/cgroup", "0::/");
  OnThreadRanks(2, [&](ThreadRanks& ranks) {
    ranks.set_ranks_on_this_machine(1 + ranks.rank());
    const MemoryShare share = SharedMemory(ranks, groups.root);
    CHECK(share.processes == 1 + ranks.rank());
    CHECK(share.bytes == PhysicalMemory());
  });
  CHECK(SharedMemory(OneRank(), groups.root).processes == 1);
  CHECK(SharedMemory(OneRank(), groups.root).bytes == UsableMemory());
}

TEST_CASE("the limit that leaves least to each rank counts, not the least limit") {
  const Groups groups;
  groups.Write("job/memory.limit_in_bytes", "6000");
  for (const char* rank : {"0", "1", "2"}) {
    const std::string root = rank;
    groups.Write(root + "/proc/self/cgroup", "1:memory:/job\n0::/task");
    groups.Write(root + "/sys/fs/cgroup/task/memory.max", "4000");
    std::filesystem::create_directories(groups.folder.Path(root + "/sys/fs/cgroup/memory"));
    std::filesystem::create_directory_symlink(
        groups.folder.Path("job"), groups.folder.Path(root + "/sys/fs/cgroup/memory/job"));
  }
  OnThreadRanks(3, [&](ThreadRanks& ranks) {
    const MemoryShare share = SharedMemory(ranks, groups.folder.Path(std::to_string(ranks.rank())));
    CHECK(share.processes == 3);
    CHECK(share.bytes == 6000);
  });
}
