// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/target.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <typeinfo>

#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>

namespace slackline::internal::fuzz {
namespace {

std::vector<Target>& MutableTargets() {
  static std::vector<Target> targets;
  return targets;
}

void Require(bool good) {
  if (!good) throw std::runtime_error(std::string("no file in memory: ") + std::strerror(errno));
}

int Descriptor(std::size_t slot) {
  static std::array<int, 3> descriptors = {-1, -1, -1};
  int& descriptor = descriptors.at(slot);
  if (descriptor < 0) descriptor = memfd_create("slackline-fuzz", MFD_CLOEXEC);
  Require(descriptor >= 0);
  return descriptor;
}

}  // namespace

FuzzTarget::FuzzTarget(Target target) {
  auto& all = MutableTargets();
  const auto place =
      std::find_if(all.begin(), all.end(), [&](const Target& t) { return t.name > target.name; });
  all.insert(place, std::move(target));
}

const std::vector<Target>& Targets() { return MutableTargets(); }

const Target* FindTarget(std::string_view name) {
  for (const Target& target : Targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

std::string Run(const Target& target, std::string_view input) {
  try {
    target.run(input);
  } catch (const DataError&) {
    return {};
  } catch (const std::exception& error) {
    return std::string(typeid(error).name()) + ": " + error.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
  return {};
}

std::string PathOf(std::string_view bytes, std::size_t slot) {
  const int descriptor = Descriptor(slot);
  Require(ftruncate(descriptor, 0) == 0);
  Require(pwrite(descriptor, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  return "/proc/self/fd/" + std::to_string(descriptor);
}

std::string WithChecksum(std::string_view bytes) {
  std::string sealed(bytes);
  if (sealed.size() < 4) return sealed;
  const std::uint32_t checksum = Crc32(bytes.substr(0, bytes.size() - 4));
  for (std::size_t k = 0; k < 4; ++k)
    sealed[sealed.size() - 4 + k] = static_cast<char>(checksum >> (8 * k) & 0xff);
  return sealed;
}

}  // namespace slackline::internal::fuzz
