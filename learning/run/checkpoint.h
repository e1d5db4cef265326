// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints: the state of a training run in a file, from which the run continues as if it had not
// been stopped. A resumed run has the weights, bounds and passes of an uninterrupted one, bit for
// bit (with the same program on the same kind of processor); times are added up.
//
// The file is a container of core/model_file.h, which provides checksum, lengths, and atomic
// replacement.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/learning/run/fingerprint.h>

namespace slackline::internal {

/// Version of the state of loop and learners. Must be raised with every change of the saved state.
inline constexpr std::int64_t kStateVersion = 5;

struct Checkpoint {
  Fingerprint fingerprint;
  /// For a path over λ: number of the value that was being trained. Figures are for the caller's
  /// use, such as those of the values before it.
  std::int64_t stage = 0;
  std::vector<double> figures;
  std::string state;
};

/// Replaces the file atomically. Throws DataError when the file cannot be written; an old file then
/// stays unchanged.
void SaveCheckpoint(const std::string& path, const Checkpoint& checkpoint);

/// Throws DataError when the file is not a checkpoint, is damaged, or was written by another
/// version.
Checkpoint LoadCheckpoint(const std::string& path);

/// The bytes of such a file, and what they say. The second throws DataError as LoadCheckpoint does.
std::string CheckpointBytes(const Checkpoint& checkpoint);
Checkpoint CheckpointFromBytes(std::string_view bytes, const std::string& name);

}  // namespace slackline::internal
