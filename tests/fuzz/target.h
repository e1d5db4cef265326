// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzz targets: functions that give arbitrary bytes to one reader of outside data. A target is one
// file in this folder, with one FuzzTarget for every reader in it. The same functions run under
// libFuzzer (libfuzzer.cc) and, on seeds and on inputs that failed in the past, in the ordinary
// test suite (replay.cc).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slackline::internal::fuzz {

struct Target {
  std::string name;
  /// Returns, or throws DataError; every other exception is a failure.
  std::function<void(std::string_view)> run;
  /// Seeds that are not files of seeds/NAME: those of binary formats, which the library itself
  /// writes.
  std::function<std::vector<std::string>()> make_seeds = {};
  /// The length of the longest input that is worth a try: bounds the time of one execution.
  std::size_t max_length = 4096;
};

/// All targets, by name.
const std::vector<Target>& Targets();
/// nullptr when there is none of this name.
const Target* FindTarget(std::string_view name);

/// A namespace-scope object makes a target known.
struct FuzzTarget {
  explicit FuzzTarget(Target target);
};

/// "" when the target takes the input as it should, else what went wrong.
std::string Run(const Target& target, std::string_view input);

/// The path of a file in memory with these bytes, for readers and writers of files. Each of the
/// slots 0 … 2 is one file.
std::string PathOf(std::string_view bytes, std::size_t slot = 0);

/// The checksum over the bytes before it in the last four bytes, as model files and checkpoints
/// have it.
std::string WithChecksum(std::string_view bytes);

}  // namespace slackline::internal::fuzz
