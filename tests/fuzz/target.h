// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzz targets: functions that give arbitrary bytes to one reader of external data. A file in this
// folder has one FuzzTarget for every reader in it. The same functions run under libFuzzer
// (libfuzzer.cc) and, on seeds and past failures, in the ordinary test suite (replay.cc).
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
  /// Returns, or throws DataError; any other exception is a failure.
  std::function<void(std::string_view)> run;
  /// Seeds in addition to the files of seeds/NAME: binary formats, written by the library itself.
  std::function<std::vector<std::string>()> make_seeds = {};
  /// The longest input in bytes, which bounds the time of one execution.
  std::size_t max_length = 4096;
};

/// All targets, by name.
const std::vector<Target>& Targets();
/// The target of this name, or nullptr.
const Target* FindTarget(std::string_view name);

/// Registers a target, as an object at namespace scope.
struct FuzzTarget {
  explicit FuzzTarget(Target target);
};

/// "" when the target handles the input properly, else a description of the failure.
std::string Run(const Target& target, std::string_view input);

/// The path of a file in memory with these bytes, for readers and writers of files. Each of the
/// slots 0 … 2 is one file.
std::string PathOf(std::string_view bytes, std::size_t slot = 0);

/// The bytes with the last four replaced by the checksum of those before, as in model files and
/// checkpoints.
std::string WithChecksum(std::string_view bytes);

}  // namespace slackline::internal::fuzz
