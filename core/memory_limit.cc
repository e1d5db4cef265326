// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/memory_limit.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <slackline/core/types.h>

namespace slackline {

double PhysicalMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<double>(pages) * static_cast<double>(page_bytes)
                                     : kInfinity;
}

double UsableMemory() {
  double bytes = PhysicalMemory();
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

std::string MemoryExcess(double bytes) {
  const double usable = UsableMemory();
  if (bytes <= usable) return {};
  return "training needs about " + BytesText(bytes) + " of memory, and there are " + BytesText(usable);
}

}  // namespace slackline
