// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/checkpoint.h>

#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/model_file.h>

namespace slackline::internal {
namespace {

ModelWriter FileOf(const Checkpoint& checkpoint) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : checkpoint.fingerprint) {
    names.push_back(name);
    values.push_back(value);
  }
  ModelWriter writer;
  writer.Add("state_version", std::vector<std::int64_t>{kStateVersion});
  writer.Add("fingerprint_names", names);
  writer.Add("fingerprint_values", values);
  writer.Add("stage", std::vector<std::int64_t>{checkpoint.stage});
  writer.Add("figures", checkpoint.figures);
  writer.Add("state", checkpoint.state);
  return writer;
}

Checkpoint Read(const ModelReader& reader) {
  const std::string& path = reader.path();
  const auto version = reader.Integers("state_version");
  if (version.size() != 1 || version[0] != kStateVersion) {
    const std::string found = version.empty() ? "none" : std::to_string(version[0]);
    const bool newer = !version.empty() && version[0] > kStateVersion;
    throw DataError(path, 0,
                    std::string("written by ") + (newer ? "a newer" : "another") +
                        " version: its state has version " + found + ", this program reads " +
                        std::to_string(kStateVersion));
  }
  const auto& names = reader.Strings("fingerprint_names");
  const auto& values = reader.Strings("fingerprint_values");
  const auto stage = reader.Integers("stage");
  const auto figures = reader.Doubles("figures");
  if (names.size() != values.size() || stage.size() != 1 || stage[0] < 0) {
    throw DataError(path, 0, "the checkpoint is inconsistent");
  }
  Checkpoint checkpoint;
  for (std::size_t k = 0; k < names.size(); ++k)
    checkpoint.fingerprint.emplace_back(names[k], values[k]);
  checkpoint.stage = stage[0];
  checkpoint.figures.assign(figures.begin(), figures.end());
  checkpoint.state = reader.String("state");
  return checkpoint;
}

}  // namespace

void SaveCheckpoint(const std::string& path, const Checkpoint& checkpoint) {
  FileOf(checkpoint).Save(path, kCheckpointKind);
}

Checkpoint LoadCheckpoint(const std::string& path) {
  return Read(ModelReader(path, kCheckpointKind));
}

std::string CheckpointBytes(const Checkpoint& checkpoint) {
  return FileOf(checkpoint).Bytes(kCheckpointKind);
}

Checkpoint CheckpointFromBytes(std::string_view bytes, const std::string& name) {
  return Read(ModelReader::FromBytes(bytes, name, kCheckpointKind));
}

}  // namespace slackline::internal
