// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints: the state of a training run in a file, from which the run goes on as if it had never
// been stopped. The weights, bounds and passes of a resumed run are those of an uninterrupted one,
// bit for bit (with the same program on the same kind of processor); times are added up.
//
// The file is the container of core/model_file.h: checksum, lengths, and atomic replacement are
// its.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <slackline/learning/run/fingerprint.h>

namespace slackline::internal {

/// Version of the state of loop and learners. To be raised with every change of what they save.
inline constexpr std::int64_t kStateVersion = 5;

struct Checkpoint {
  Fingerprint fingerprint;
  /// Of a path over λ: number of the value that was trained, and figures of those before, for the
  /// caller's use.
  std::int64_t stage = 0;
  std::vector<double> figures;
  std::string state;
};

/// Replaces the file at once. Throws DataError when it cannot be written; an old file then stays as
/// it was.
void SaveCheckpoint(const std::string& path, const Checkpoint& checkpoint);

/// Throws DataError when the file is no checkpoint, is damaged, or was written by another version.
Checkpoint LoadCheckpoint(const std::string& path);

}  // namespace slackline::internal
