// SPDX-License-Identifier: BSD-3-Clause
//
// Replays inputs without libFuzzer, for the ordinary tests and for `./run fuzz`:
//   slackline_fuzz_replay FOLDER [TARGET...]   every target on its own seeds, on
//                                              FOLDER/seeds/TARGET and on FOLDER/failures/TARGET
//   slackline_fuzz_replay --list               a line per target: name and longest input
//   slackline_fuzz_replay --seeds OUT TARGET   writes the seeds that the target makes to folder OUT
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Numbers of inputs.
struct Outcome {
  int seeds = 0;
  int past_failures = 0;
  int failures = 0;
};

void Try(const Target& target, const std::string& input, const std::string& where,
         Outcome* outcome) {
  const std::string failure = Run(target, input);
  if (failure.empty()) return;
  std::fprintf(stderr, "%s: %s: %s\n", target.name.c_str(), where.c_str(), failure.c_str());
  ++outcome->failures;
}

int TryFolder(const Target& target, const std::filesystem::path& folder, Outcome* outcome) {
  if (!std::filesystem::is_directory(folder)) return 0;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) Try(target, ReadFile(file), file.string(), outcome);
  return static_cast<int>(files.size());
}

/// Returns 0 when all inputs pass.
int Replay(const std::filesystem::path& folder, const std::vector<std::string>& names) {
  Outcome outcome;
  for (const Target& target : Targets()) {
    if (!names.empty() && std::find(names.begin(), names.end(), target.name) == names.end())
      continue;
    int seeds = 0;
    if (target.make_seeds) {
      for (const std::string& seed : target.make_seeds())
        Try(target, seed, "its own seed " + std::to_string(seeds++), &outcome);
    }
    seeds += TryFolder(target, folder / "seeds" / target.name, &outcome);
    outcome.past_failures += TryFolder(target, folder / "failures" / target.name, &outcome);
    outcome.seeds += seeds;
    if (seeds > 0) continue;
    std::fprintf(stderr, "%s: has no seeds\n", target.name.c_str());
    ++outcome.failures;
  }
  std::printf("%d seeds and %d past failures, of which %d fail\n", outcome.seeds,
              outcome.past_failures, outcome.failures);
  return outcome.failures == 0 && outcome.seeds > 0 ? 0 : 1;
}

int WriteSeeds(const std::filesystem::path& out, const Target& target) {
  if (!target.make_seeds) return 0;
  int number = 0;
  for (const std::string& seed : target.make_seeds()) {
    std::ofstream file(out / ("made-" + std::to_string(number++)), std::ios::binary);
    file << seed;
    if (!file.flush()) return 1;
  }
  return 0;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "--list") {
    for (const Target& target : Targets())
      std::printf("%s %zu\n", target.name.c_str(), target.max_length);
    return 0;
  }
  if (arguments.size() == 3 && arguments[0] == "--seeds") {
    if (const Target* target = FindTarget(arguments[2])) return WriteSeeds(arguments[1], *target);
  } else if (!arguments.empty() && !arguments[0].starts_with("-")) {
    return Replay(arguments[0], {arguments.begin() + 1, arguments.end()});
  }
  std::fputs("slackline_fuzz_replay FOLDER [TARGET...] | --list | --seeds OUT TARGET\n", stderr);
  return 2;
}

}  // namespace
}  // namespace slackline::internal::fuzz

int main(int argc, char** argv) { return slackline::internal::fuzz::Main({argv + 1, argv + argc}); }
