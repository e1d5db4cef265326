// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/converted/converted_reader.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <slackline/apps/common/scaling_entries.h>
#include <slackline/core/check.h>
#include <slackline/core/data_source.h>
#include <slackline/core/model_file.h>

namespace slackline::internal {
namespace {

/// So many blocks after the one that is being checked are requested from the system.
constexpr std::size_t kBlocksAhead = 8;

[[noreturn]] void FailDamaged(const std::string& path, const std::string& what) {
  throw DataError(path, 0, "the converted data are damaged: " + what);
}

ConvertedHeader CheckHeader(const std::string& path, std::string_view bytes) {
  if (bytes.substr(0, kConvertedMagic.size()) != kConvertedMagic)
    throw DataError(path, 0, "not converted data");
  const auto wrong_length = [&](const char* what, const std::string& expected) {
    throw DataError(path, 0,
                    std::string("the converted data are ") + what + ": expected " + expected +
                        " bytes, found " + std::to_string(bytes.size()));
  };
  if (bytes.size() < sizeof(ConvertedHeader)) wrong_length("truncated", "at least 64");
  ConvertedHeader header;
  std::memcpy(&header, bytes.data(), sizeof(ConvertedHeader));
  if (header.byte_order != kConvertedByteOrder && header.byte_order != 0)
    throw DataError(path, 0,
                    "converted on a machine with another order of bytes: convert the data here");
  if (header.version >= 1 && header.version < kConvertedVersion &&
      header.checksum == header.CorrectChecksum())
    throw DataError(path, 0, "converted by an earlier version: convert the data again");
  if (header.version > kConvertedVersion) {
    throw DataError(path, 0,
                    "written by a newer version: its format is " + std::to_string(header.version) +
                        ", this program reads formats up to " + std::to_string(kConvertedVersion));
  }
  if (header.version == 0 || header.checksum != header.CorrectChecksum())
    FailDamaged(path, "the checksum of the header does not match");
  if (bytes.size() < header.length) wrong_length("truncated", std::to_string(header.length));
  if (bytes.size() > header.length) wrong_length("too long", std::to_string(header.length));
  if (header.directory_begin < sizeof(ConvertedHeader) || header.directory_begin > bytes.size() ||
      header.num_examples > std::numeric_limits<Index>::max())
    FailDamaged(path, "the header contradicts itself");
  return header;
}

std::vector<ConvertedBlock> ReadBlocks(const ModelEntries& entries, const ConvertedHeader& header,
                                       Index label_bytes) {
  const auto numbers = entries.file().Integers("blocks");
  entries.Require(numbers.size() % kNumbersPerBlock == 0, "blocks");
  std::vector<ConvertedBlock> blocks;
  std::uint64_t end = sizeof(ConvertedHeader);
  std::uint64_t examples = 0;
  for (std::size_t k = 0; k < numbers.size(); k += kNumbersPerBlock) {
    ConvertedBlock block;
    block.begin = static_cast<std::uint64_t>(numbers[k]);
    block.bytes = static_cast<std::uint64_t>(numbers[k + 1]);
    block.rows = entries.ToIndex("blocks", numbers[k + 2]);
    block.examples = entries.ToIndex("blocks", numbers[k + 3]);
    entries.Require(numbers[k + 4] >= 0 && numbers[k + 4] <= 2, "blocks");
    block.kind = static_cast<ConvertedRows>(numbers[k + 4]);
    block.all_label_bytes = static_cast<std::uint64_t>(numbers[k + 5]);
    block.checksum = static_cast<std::uint32_t>(numbers[k + 6]);
    const bool labels_fit =
        block.all_label_bytes <= block.bytes &&
        (label_bytes == kLabelsVary ||
         block.all_label_bytes == std::uint64_t{Size(block.rows)} * Size(label_bytes));
    entries.Require(block.begin == end && block.bytes <= header.directory_begin - end &&
                        block.examples > 0 && block.examples <= block.rows && labels_fit &&
                        block.rows_begin(label_bytes) <= block.bytes && block.bytes % 8 == 0,
                    "blocks");
    end += block.bytes;
    examples += Size(block.examples);
    blocks.push_back(block);
  }
  entries.Require(end == header.directory_begin && examples == header.num_examples && examples > 0,
                  "blocks");
  return blocks;
}

ConvertedFacts ReadFacts(const ModelEntries& entries) {
  ConvertedFacts facts;
  facts.label_names = entries.file().Strings("label_names");
  const auto sizes = entries.Integers("sizes", 3);
  facts.num_features = entries.ToIndex("sizes", sizes[0]);
  facts.has_constant = sizes[1] != 0;
  entries.Require(!facts.label_names.empty() && sizes[1] >= 0 && sizes[1] <= 1 && sizes[2] >= -1 &&
                      facts.num_features < std::numeric_limits<Index>::max() - 1 &&
                      std::ssize(facts.label_names) < std::numeric_limits<Index>::max(),
                  "sizes");
  facts.windows.bytes = sizes[2];
  facts.notes = entries.file().Strings("notes");
  facts.unknown_features = entries.Integers("unknown_features", 1)[0];
  entries.Require(facts.unknown_features >= 0, "unknown_features");
  facts.values.scaling = LoadScaling(entries, facts.num_features);
  facts.values.scaling_line = entries.file().String("scaling_line");
  facts.values.warnings = entries.file().Strings("scaling_warnings");
  const auto options = entries.file().Strings("options");
  entries.Require(options.size() % 2 == 0, "options");
  for (std::size_t k = 0; k < options.size(); k += 2)
    facts.values.options.emplace_back(options[k], options[k + 1]);
  return facts;
}

ConvertedPart ReadPart(const FileMap& map, Index file, const ConvertedKind& kind) {
  const std::string& path = map.path(file);
  const std::string_view bytes = map.bytes(file);
  const ConvertedHeader header = CheckHeader(path, bytes);
  ConvertedPart part(
      ModelReader::FromBytes(bytes.substr(header.directory_begin), path, kConvertedDirectory),
      kind.task);
  part.file = file;
  part.num_examples = static_cast<Index>(header.num_examples);
  part.facts = ReadFacts(part.entries);
  part.blocks = ReadBlocks(part.entries, header, kind.label_bytes(part));
  return part;
}

/// Throws DataError unless the parts can be one data set.
void CheckAlike(const ConvertedParts& parts, const ConvertedPart& part) {
  const ConvertedFacts& a = parts.first().facts;
  const ConvertedFacts& b = part.facts;
  RequireAlike(parts, part, a.label_names == b.label_names, "labels");
  RequireAlike(parts, part, a.num_features == b.num_features, "features");
  RequireAlike(parts, part, a.has_constant == b.has_constant, "settings of --bias");
  RequireAlike(parts, part, SameScaling(a.values.scaling, b.values.scaling), "scales");
  RequireAlike(parts, part, a.windows == b.windows, "settings of --window");
  RequireAlike(parts, part, a.values.options == b.values.options, "options of their conversion");
}

/// Reads the rows of one rank.
class RowLoader {
 public:
  RowLoader(const ConvertedParts& parts, const ConvertedKind& kind, Ranks::Piece mine,
            const std::function<bool(const ConvertedRow&)>& visit)
      : parts_(parts),
        kind_(kind),
        mine_(mine),
        visit_(visit),
        rows_(std::make_shared<FeatureRows>(parts.map)) {}

  std::shared_ptr<const FeatureRows> Load(ConvertedValues* values) {
    rows_->Reserve(NumRows(), 0, 0);
    Offset first = 0;  // number of the part's first example
    for (const ConvertedPart& part : parts_.parts) {
      LoadPart(part, first);
      first += part.num_examples;
    }
    *values = parts_.first().facts.values;
    values->window_bytes = WindowBytes();
    if (values->window_bytes > 0)
      rows_->SetWindows(WindowEnds(values->window_bytes / kWindowParts));
    return std::move(rows_);
  }

 private:
  /// An upper bound.
  Index NumRows() const {
    Offset rows = 0;
    Offset begin = 0;
    for (const ConvertedPart& part : parts_.parts) {
      for (const ConvertedBlock& block : part.blocks) {
        if (Mine(begin, block)) rows += block.rows;
        begin += block.examples;
      }
    }
    return static_cast<Index>(std::min<Offset>(rows, std::numeric_limits<Index>::max()));
  }

  /// begin: the number of the block's first example.
  bool Mine(Offset begin, const ConvertedBlock& block) const {
    return begin < mine_.end && begin + block.examples > mine_.begin;
  }

  void LoadPart(const ConvertedPart& part, Offset first) {
    Offset begin = first;
    long row = 0;  // the number of rows before the block
    for (std::size_t b = 0; b < part.blocks.size(); ++b) {
      const ConvertedBlock& block = part.blocks[b];
      if (Mine(begin, block)) {
        if (b % kBlocksAhead == 0 || begin <= mine_.begin) ReadAhead(part, b);
        LoadBlock(part, block, begin, row);
      }
      begin += block.examples;
      row += block.rows;
      block_ends_.push_back(rows_->size());
    }
  }

  void ReadAhead(const ConvertedPart& part, std::size_t b) const {
    const std::uint64_t begin = part.blocks[b].begin;
    const ConvertedBlock& last =
        part.blocks[std::min(b + 2 * kBlocksAhead, part.blocks.size()) - 1];
    parts_.map->WillNeed(parts_.map->begin(part.file) + begin, last.begin + last.bytes - begin);
  }

  /// begin: the number of the block's first example; row: the number of rows of the part before it.
  void LoadBlock(const ConvertedPart& part, const ConvertedBlock& block, Offset begin, long row) {
    const FileMap& map = *parts_.map;
    const std::string& path = map.path(part.file);
    const std::string_view bytes = map.bytes(part.file).substr(block.begin, block.bytes);
    const long first_row = row + 1;
    if (Crc32(bytes) != block.checksum)
      FailDamaged(path, "the checksum of the rows from number " + std::to_string(first_row) +
                            " on does not match");
    const Offset place = static_cast<Offset>(map.begin(part.file) + block.begin);
    const Index width = part.facts.num_features + (part.facts.has_constant ? 1 : 0);
    Offset m = begin - 1;
    bool good = true;
    const auto add = [&](const ConvertedPlace& at) {
      ++row;
      const bool begins = !kind_.begins_example || kind_.begins_example(at.labels);
      m += begins ? 1 : 0;
      good = good && m >= begin;
      if (good && m >= mine_.begin && m < mine_.end) {
        good = !block.dense() || at.count == width;
        rows_->AddMapped(place + at.values, at.columns < 0 ? -1 : place + at.columns, at.count);
        good = visit_({path, at.labels, begins, row, static_cast<Index>(m - mine_.begin)}) && good;
      }
    };
    try {
      good = ForEachConvertedRow(bytes, block, parts_.label_bytes, add) && good;
    } catch (const std::invalid_argument&) {
      FailDamaged(path, "the features of row " + std::to_string(row) +
                            " do not increase, or are not finite numbers");
    }
    if (!good || m + 1 != begin + block.examples || rows_->dimension() > width)
      FailDamaged(path,
                  "rows from number " + std::to_string(first_row) + " on contradict the directory");
  }

  /// 0: one window.
  std::int64_t WindowBytes() const {
    std::int64_t total = 0;
    for (const ConvertedPart& part : parts_.parts) {
      for (const ConvertedBlock& block : part.blocks)
        total += static_cast<std::int64_t>(block.bytes);
    }
    std::int64_t wanted = parts_.first().facts.windows.bytes;
    if (wanted < 0) wanted = total > kLeastBytesInWindows ? kWindowBytes : 0;
    return total > wanted ? wanted : 0;
  }

  /// Windows are computed over the rows of all ranks, so that they do not depend on the ranks.
  std::vector<Index> WindowEnds(std::int64_t wanted) const {
    std::vector<Index> ends;
    std::int64_t bytes = 0;
    auto row = block_ends_.begin();
    for (const ConvertedPart& part : parts_.parts) {
      for (const ConvertedBlock& block : part.blocks) {
        bytes += static_cast<std::int64_t>(block.bytes);
        const Index end = *row++;
        if (bytes < wanted && row != block_ends_.end()) continue;
        if (end > (ends.empty() ? 0 : ends.back())) ends.push_back(end);
        bytes = 0;
      }
    }
    return ends;
  }

  const ConvertedParts& parts_;
  const ConvertedKind& kind_;
  const Ranks::Piece mine_;
  const std::function<bool(const ConvertedRow&)>& visit_;
  std::shared_ptr<FeatureRows> rows_;
  std::vector<Index> block_ends_;  // for each block the number of rows of this rank up to its end
};

bool BeginsConverted(const std::string& path) {
  std::error_code error;
  // Bytes of a pipe could not be read again.
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string begin(kConvertedMagic.size(), '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && begin == kConvertedMagic;
}

bool LooksConverted(const std::string& path) {
  if (!IsFolder(path)) return path != "-" && BeginsConverted(path);
  try {
    return BeginsConverted(FindDataSource(OneRank(), path).files.front().path);
  } catch (const DataError&) {
    return false;  // reading tells what is wrong
  }
}

}  // namespace

bool IsConverted(Ranks& ranks, const std::string& path) {
  bool converted = false;
  if (ranks.first()) converted = LooksConverted(path);
  ranks.TakeFromFirst(&converted);
  return converted;
}

void RefuseConverted(const std::string& source, std::string_view line) {
  if (!line.starts_with(kConvertedMagic)) return;
  throw DataError(
      source, 0,
      "is converted data already, which train, cv, evaluate and predict read: from the file "
      "itself, not compressed and not as a stream");
}

bool SameScaling(const FeatureScaling& a, const FeatureScaling& b) {
  return a.kind() == b.kind() && a.shift() == b.shift() && a.divisor() == b.divisor();
}

Offset ConvertedParts::num_examples() const {
  Offset examples = 0;
  for (const ConvertedPart& part : parts) examples += part.num_examples;
  return examples;
}

void RequireAlike(const ConvertedParts& parts, const ConvertedPart& part, bool same,
                  const char* what) {
  if (same) return;
  throw DataError(parts.map->path(part.file), 0,
                  std::string("has other ") + what + " than " +
                      parts.map->path(parts.first().file) + ": convert all parts together");
}

ConvertedParts OpenConverted(const std::vector<std::string>& files, const ConvertedKind& kind) {
  ConvertedParts parts;
  parts.map = std::make_shared<const FileMap>(files);
  parts.map->ExpectRandomReads();
  for (Index file = 0; file < parts.map->num_files(); ++file) {
    parts.parts.push_back(ReadPart(*parts.map, file, kind));
    CheckAlike(parts, parts.parts.back());
  }
  parts.label_bytes = kind.label_bytes(parts.first());
  if (parts.num_examples() > std::numeric_limits<Index>::max())
    throw DataError(parts.map->path(0), 0, "too many examples");
  return parts;
}

std::vector<std::string> ConvertedFiles(Ranks& ranks, const std::string& path) {
  std::vector<std::string> files;
  for (const DataFile& file : FindDataSource(ranks, path).files) files.push_back(file.path);
  return files;
}

std::shared_ptr<const FeatureRows> LoadConvertedRows(
    const ConvertedParts& parts, const ConvertedKind& kind, Ranks::Piece mine,
    const std::function<bool(const ConvertedRow&)>& visit, ConvertedValues* values) {
  return RowLoader(parts, kind, mine, visit).Load(values);
}

}  // namespace slackline::internal
