// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/run/checkpoint.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>
#include <system_error>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/model_file.h>

namespace slackline::internal {
namespace {

/// Everything but the state.
ModelWriter HeadOf(const Checkpoint& checkpoint) {
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
  return writer;
}

ModelWriter FileOf(const Checkpoint& checkpoint) {
  ModelWriter writer = HeadOf(checkpoint);
  writer.Add("state", checkpoint.state);
  writer.Add("parts", std::vector<std::int64_t>(checkpoint.parts.begin(), checkpoint.parts.end()));
  return writer;
}

/// The head of a checkpoint.
Checkpoint ReadHead(const ModelReader& reader) {
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
  return checkpoint;
}

void ReadState(const ModelReader& reader, Checkpoint* checkpoint) {
  checkpoint->state = reader.String("state");
  std::size_t before = 0;
  for (const std::int64_t part : reader.Integers("parts")) {
    if (part < 0 || Size(part) < before || Size(part) > checkpoint->state.size())
      throw DataError(reader.path(), 0, "the checkpoint is inconsistent");
    before = Size(part);
    checkpoint->parts.push_back(before);
  }
}

/// Part k of a state.
std::string_view PartOf(const Checkpoint& checkpoint, std::size_t k) {
  const std::size_t begin = checkpoint.parts[k];
  const std::size_t end =
      k + 1 < checkpoint.parts.size() ? checkpoint.parts[k + 1] : checkpoint.state.size();
  return std::string_view(checkpoint.state).substr(begin, end - begin);
}
std::string_view CommonOf(const Checkpoint& checkpoint) {
  const std::size_t end =
      checkpoint.parts.empty() ? checkpoint.state.size() : checkpoint.parts.front();
  return std::string_view(checkpoint.state).substr(0, end);
}

/// Appends a part to a state that begins with the part common to all ranks.
void AppendPart(std::string_view part, Checkpoint* checkpoint) {
  checkpoint->parts.push_back(checkpoint->state.size());
  checkpoint->state += part;
}

/// The states of some shards, in a rank's file; rank 0's file also has what is common to all ranks.
constexpr std::string_view kCommon = "common";
constexpr std::string_view kParts = "parts of the shards";
/// A number that all files of one checkpoint share.
constexpr std::string_view kNumber = "number of the checkpoint";
/// In the checkpoint file: the names of the ranks' files, and the numbers of their shards.
constexpr std::string_view kFiles = "files";
constexpr std::string_view kCounts = "shards of the files";

std::string NameOfRank(const std::string& checkpoint, const std::string& number,
                       const std::string& rank) {
  return checkpoint + "." + number + ".rank-" + rank;
}
/// The number in a file name that NameOfRank has made for this checkpoint.
std::optional<std::string> NumberInName(const std::string& name, const std::string& checkpoint) {
  const auto digits = [&](std::size_t* place) {
    const std::size_t begin = *place;
    while (*place < name.size() && name[*place] >= '0' && name[*place] <= '9') ++*place;
    return name.substr(begin, *place - begin);
  };
  std::size_t place = checkpoint.size() + 1;
  if (name.size() <= place) return std::nullopt;
  const std::string number = digits(&place);
  place += std::string_view(".rank-").size();
  if (number.empty() || place >= name.size()) return std::nullopt;
  const std::string rank = digits(&place);
  if (name != NameOfRank(checkpoint, number, rank) || rank.empty()) return std::nullopt;
  return number;
}

std::int64_t NumberOf(const ModelReader& reader) {
  const auto number = reader.Integers(kNumber);
  if (number.size() != 1) throw DataError(reader.path(), 0, "the checkpoint is inconsistent");
  return number[0];
}

/// Reads the state of this rank's shards from the files of a list.
Checkpoint LoadListed(const ModelReader& list, const Ranks& ranks) {
  Checkpoint checkpoint = ReadHead(list);
  const std::vector<std::string>& files = list.Strings(kFiles);
  const auto counts = list.Integers(kCounts);
  bool good = files.size() == counts.size() && !files.empty();
  for (const std::string& file : files)
    good = good && file.find('/') == std::string::npos;  // they lie beside the list
  std::int64_t shards = 0;
  for (const std::int64_t count : counts) {
    good = good && count >= 0 && count <= std::numeric_limits<Index>::max();
    shards += count;
  }
  if (!good || shards == 0) throw DataError(list.path(), 0, "the checkpoint is inconsistent");
  const std::int64_t number = NumberOf(list);
  const Ranks::Piece mine = ranks.PieceOf(shards);
  const std::filesystem::path folder = std::filesystem::path(list.path()).parent_path();
  std::int64_t begin = 0;  // the first shard of the file
  for (std::size_t f = 0; f < files.size(); begin += counts[f], ++f) {
    const std::int64_t first = std::max(mine.begin, begin);
    const std::int64_t end = std::min(mine.end, begin + counts[f]);
    if (f > 0 && first >= end) continue;
    const std::filesystem::path name = folder / files[f];
    std::error_code error;
    if (!std::filesystem::exists(name, error))
      throw DataError(list.path(), 0,
                      "the file " + files[f] + " of this checkpoint is not in the same folder");
    const ModelReader file(name.string(), kCheckpointKind);
    const std::vector<std::string>& parts = file.Strings(kParts);
    if (NumberOf(file) != number || parts.size() != Size(counts[f]))
      throw DataError(file.path(), 0, "belongs to another checkpoint than " + list.path());
    if (f == 0) checkpoint.state = file.String(kCommon);
    for (std::int64_t shard = first; shard < end; ++shard)
      AppendPart(parts[Size(shard - begin)], &checkpoint);
  }
  return checkpoint;
}

/// Takes the state of this rank's shards from a checkpoint that has all shards.
Checkpoint SelectShards(Checkpoint whole, const std::string& path, const Ranks& ranks) {
  if (ranks.alone()) return whole;
  // A run with fewer examples than ranks has fewer shards than ranks.
  if (whole.parts.empty())
    throw DataError(
        path, 0,
        "the run had no shards, and can only continue in one process; a run that begins with "
        "--shards P can continue in up to P");
  const Ranks::Piece mine = ranks.PieceOf(static_cast<std::int64_t>(whole.parts.size()));
  Checkpoint selected;
  selected.state = CommonOf(whole);
  for (std::int64_t k = mine.begin; k < mine.end; ++k)
    AppendPart(PartOf(whole, Size(k)), &selected);
  selected.fingerprint = std::move(whole.fingerprint);
  selected.stage = whole.stage;
  selected.figures = std::move(whole.figures);
  return selected;
}

Checkpoint Read(const ModelReader& reader, const Ranks& ranks) {
  if (reader.Has(kFiles)) return LoadListed(reader, ranks);
  if (reader.Has(kParts))
    throw DataError(reader.path(), 0,
                    "has the shards of one process alone; name the checkpoint itself, whose name "
                    "ends before the number and rank-R");
  Checkpoint checkpoint = ReadHead(reader);
  ReadState(reader, &checkpoint);
  return SelectShards(std::move(checkpoint), reader.path(), ranks);
}

}  // namespace

void SaveCheckpoint(const std::string& path, const Checkpoint& checkpoint) {
  FileOf(checkpoint).Save(path, kCheckpointKind);
}

Checkpoint LoadCheckpoint(const std::string& path) {
  return Read(ModelReader(path, kCheckpointKind), OneRank());
}

std::string SavedOption(const Checkpoint& checkpoint, std::string_view name) {
  const std::string entry = "--" + std::string(name);
  for (const auto& [saved, value] : checkpoint.fingerprint) {
    if (saved == entry) return value;
  }
  return {};
}

Checkpoint CheckpointFile::Load() const {
  Checkpoint checkpoint;
  OnAllRanks(ranks_, [&] { checkpoint = Read(ModelReader(path_, kCheckpointKind), ranks_); });
  return checkpoint;
}

void CheckpointFile::RemoveOthers(std::int64_t number) const {
  const std::filesystem::path path(path_);
  const std::string mine = std::to_string(number);
  std::error_code error;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::optional<std::string> of =
        NumberInName(entry->path().filename().string(), path.filename().string());
    std::error_code ignored;
    if (of && *of != mine) std::filesystem::remove(entry->path(), ignored);
  }
}

void CheckpointFile::Save(const Checkpoint& checkpoint) {
  std::int64_t number = -1;
  if (ranks_.alone()) {
    SaveCheckpoint(path_, checkpoint);
  } else {
    // A number that no other checkpoint has, not even one of an earlier run at the same path.
    number = std::random_device()() & 0x7fffffff;
    ranks_.TakeFromFirst(&number);
    const std::filesystem::path path(path_);
    const auto name_of = [&](int rank) {
      return NameOfRank(path.filename().string(), std::to_string(number), std::to_string(rank));
    };
    const std::string mine = (path.parent_path() / name_of(ranks_.rank())).string();
    std::vector<std::int64_t> counts;
    for (const std::size_t parts : ranks_.Gather(checkpoint.parts.size()))
      counts.push_back(static_cast<std::int64_t>(parts));
    try {
      OnAllRanks(ranks_, [&] {
        std::vector<std::string> parts;
        for (std::size_t k = 0; k < checkpoint.parts.size(); ++k)
          parts.emplace_back(PartOf(checkpoint, k));
        ModelWriter writer;
        writer.Add(kNumber, std::vector<std::int64_t>{number});
        writer.Add(kParts, parts);
        if (ranks_.first()) writer.Add(kCommon, std::string(CommonOf(checkpoint)));
        writer.Save(mine, kCheckpointKind);
      });
      OnAllRanks(ranks_, [&] {
        if (!ranks_.first()) return;
        std::vector<std::string> files;
        for (int r = 0; r < ranks_.size(); ++r) files.push_back(name_of(r));
        ModelWriter list = HeadOf(checkpoint);
        list.Add(kNumber, std::vector<std::int64_t>{number});
        list.Add(kFiles, files);
        list.Add(kCounts, counts);
        list.Save(path_, kCheckpointKind);
      });
    } catch (const DataError&) {
      std::error_code ignored;
      std::filesystem::remove(mine, ignored);
      throw;
    }
  }
  // Removes the files of the previous checkpoint, and of a run that was killed while it wrote.
  if (ranks_.first() && (!ranks_.alone() || !saved_)) RemoveOthers(number);
  saved_ = true;
}

std::string CheckpointBytes(const Checkpoint& checkpoint) {
  return FileOf(checkpoint).Bytes(kCheckpointKind);
}

Checkpoint CheckpointFromBytes(std::string_view bytes, const std::string& name) {
  return Read(ModelReader::FromBytes(bytes, name, kCheckpointKind), OneRank());
}

}  // namespace slackline::internal
