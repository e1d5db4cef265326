// SPDX-License-Identifier: BSD-3-Clause
//
// Checkpoints: the state of a training run in a file, from which the run continues as if it had not
// been stopped. A resumed run has the weights, bounds and passes of an uninterrupted one, bit for
// bit (with the same program on the same kind of processor); times are added up.
//
// The file is a container of core/model_file.h, which provides checksum, lengths, and atomic
// replacement. Where several ranks train together (core/ranks.h), each writes a file with the
// states of its shards, and the checkpoint file lists these files. Rank 0 replaces the list when
// all files are written, and removes the old files after that: at every moment there is a complete
// checkpoint. The ranks must see one folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/core/ranks.h>
#include <slackline/learning/run/fingerprint.h>

namespace slackline::internal {

/// Version of the state of loop and learners. Must be raised with every change of the saved state.
inline constexpr std::int64_t kStateVersion = 9;

struct Checkpoint {
  Fingerprint fingerprint;
  /// For a path over λ: number of the value that was being trained. figures are for the caller's
  /// use, such as the results for the previous values.
  std::int64_t stage = 0;
  std::vector<double> figures;
  std::string state;
  /// The places in the state where the parts of the shards begin (StateWriter::Part): ascending.
  std::vector<std::size_t> parts;
};

/// Replaces the file atomically. Throws DataError when the file cannot be written; an old file then
/// stays unchanged.
void SaveCheckpoint(const std::string& path, const Checkpoint& checkpoint);

/// Throws DataError when the file is not a checkpoint, is damaged, or was written by another
/// version.
Checkpoint LoadCheckpoint(const std::string& path);

/// The value of an option of the run that wrote the checkpoint: the text that SetOption reads.
/// Empty where the run had no such option.
std::string SavedOption(const Checkpoint& checkpoint, std::string_view name);

/// The checkpoints of one or several ranks at one path.
class CheckpointFile {
 public:
  /// Reads nothing yet.
  CheckpointFile(std::string path, Ranks& ranks) : path_(std::move(path)), ranks_(ranks) {}

  /// The state with the parts of all shards where this process is alone, else with the parts of
  /// this rank's shards, whatever ranks or process wrote them. Throws DataError on all ranks, as
  /// LoadCheckpoint does, and when a listed file is missing or belongs to another checkpoint.
  Checkpoint Load() const;
  /// Replaces the checkpoint by the checkpoint of all ranks. Each rank gives the state with the
  /// parts of its own shards; fingerprints, stages and figures are the same on all ranks. Throws
  /// DataError on all ranks when a file cannot be written; the old checkpoint then stays.
  void Save(const Checkpoint& checkpoint);

 private:
  /// Removes the ranks' files at path_ except those of the checkpoint with this number.
  void RemoveOthers(std::int64_t number) const;

  std::string path_;
  Ranks& ranks_;
  bool saved_ = false;
};

/// The contents of the file, made and read. Reading throws DataError as LoadCheckpoint does.
std::string CheckpointBytes(const Checkpoint& checkpoint);
Checkpoint CheckpointFromBytes(std::string_view bytes, const std::string& name);

}  // namespace slackline::internal
