// SPDX-License-Identifier: BSD-3-Clause
#include "bench/bench_machine.h"

#include <sys/utsname.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include <slackline/core/memory_limit.h>
#include <slackline/core/parallel.h>
#include <slackline/inference/map_solver.h>

namespace slackline::internal::bench {
namespace {

using program::Json;

/// The first "model name" of Linux; null elsewhere.
Json ProcessorModel() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return nullptr;
}

Json MemoryBytes() {
  const double bytes = PhysicalMemory();
  return std::isfinite(bytes) ? Json(static_cast<std::int64_t>(bytes)) : Json(nullptr);
}

Json SystemText() {
  utsname names{};
  if (uname(&names) != 0) return nullptr;
  return std::string(names.sysname) + " " + names.release + " " + names.machine;
}

}  // namespace

Json MachineJson() {
  return {{"cpu", ProcessorModel()},
          {"cores", std::thread::hardware_concurrency()},
          {"memory_bytes", MemoryBytes()},
          {"system", SystemText()}};
}

Json BuildJson() {
  return {{"compiler", SLACKLINE_COMPILER},
          {"flags", SLACKLINE_FLAGS},
          {"type", SLACKLINE_BUILD_TYPE},
          {"sanitizers", SLACKLINE_SANITIZERS},
          {"glpk", HasGlpk()},
          {"threads", HardwareThreads()}};
}

std::string DateText() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

}  // namespace slackline::internal::bench
