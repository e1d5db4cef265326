// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <slackline/core/memory_limit.h>
#include <slackline/core/types.h>

using namespace slackline;

TEST_CASE("sizes have three digits and a unit") {
  CHECK(BytesText(0) == "0 bytes");
  CHECK(BytesText(512) == "512 bytes");
  CHECK(BytesText(1000) == "1.00 kB");
  CHECK(BytesText(999600) == "1.00 MB");
  CHECK(BytesText(12.34e9) == "12.3 GB");
  CHECK(BytesText(144e9) == "144 GB");
  CHECK(BytesText(5e21) == "5000 EB");
}

TEST_CASE("what fits is not refused, and what no machine has is") {
  CHECK(UsableMemory() > 1e6);
  CHECK(MemoryExcess(1e6).empty());
  CHECK(MemoryExcess(UsableMemory()).empty());
  CHECK(MemoryExcess(1e25).find("training needs about 10000000 EB of memory") == 0);
}
