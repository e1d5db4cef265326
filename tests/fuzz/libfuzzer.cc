// SPDX-License-Identifier: BSD-3-Clause
//
// The entry points of libFuzzer: slackline_fuzz --target=NAME [arguments of libFuzzer].
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "tests/fuzz/target.h"

namespace {

const slackline::internal::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view kOption = "--target=";
  for (int k = 1; k < *argc; ++k) {
    const std::string_view argument = (*argv)[k];
    if (argument.substr(0, kOption.size()) == kOption)
      chosen = slackline::internal::fuzz::FindTarget(argument.substr(kOption.size()));
  }
  if (chosen != nullptr) return 0;
  std::fputs("slackline_fuzz: --target=NAME is missing; the targets are:\n", stderr);
  for (const auto& target : slackline::internal::fuzz::Targets())
    std::fprintf(stderr, "  %s\n", target.name.c_str());
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string failure =
      slackline::internal::fuzz::Run(*chosen, {reinterpret_cast<const char*>(data), size});
  if (failure.empty()) return 0;
  std::fprintf(stderr, "target %s: %s\n", chosen->name.c_str(), failure.c_str());
  std::abort();
}
