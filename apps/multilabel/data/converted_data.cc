// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/converted_data.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <slackline/apps/common/scaling_entries.h>
#include <slackline/apps/common/training_record.h>
#include <slackline/apps/multilabel/data/converted_layout.h>
#include <slackline/core/check.h>
#include <slackline/core/data_source.h>
#include <slackline/core/file_map.h>
#include <slackline/core/model_file.h>
#include <slackline/core/number_text.h>
#include <slackline/core/record_deal.h>

namespace slackline::internal {
namespace {

/// Blocks that the system is asked for ahead of the one that is checked.
constexpr std::size_t kBlocksAhead = 8;

/// One file of converted data, without its examples.
struct Part {
  MultiLabelData about;
  WindowChoice windows;
  std::vector<ConvertedBlock> blocks;
  Index file = 0;  // in the map
  Index num_examples = 0;
};

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
                                       Index num_labels) {
  const auto numbers = entries.file().Integers("blocks");
  entries.Require(numbers.size() % kNumbersPerBlock == 0, "blocks");
  std::vector<ConvertedBlock> blocks;
  std::uint64_t end = sizeof(ConvertedHeader);
  std::uint64_t rows = 0;
  for (std::size_t k = 0; k < numbers.size(); k += kNumbersPerBlock) {
    ConvertedBlock block;
    block.begin = static_cast<std::uint64_t>(numbers[k]);
    block.bytes = static_cast<std::uint64_t>(numbers[k + 1]);
    block.rows = entries.ToIndex("blocks", numbers[k + 2]);
    block.dense = numbers[k + 3] != 0;
    block.checksum = static_cast<std::uint32_t>(numbers[k + 4]);
    entries.Require(block.begin == end && block.bytes <= header.directory_begin - end &&
                        block.rows > 0 && block.rows_begin(num_labels) <= block.bytes &&
                        block.bytes % 8 == 0,
                    "blocks");
    end += block.bytes;
    rows += Size(block.rows);
    blocks.push_back(block);
  }
  entries.Require(end == header.directory_begin && rows == header.num_examples && rows > 0,
                  "blocks");
  return blocks;
}

Part ReadPart(const FileMap& map, Index file) {
  const std::string& path = map.path(file);
  const std::string_view bytes = map.bytes(file);
  const ConvertedHeader header = CheckHeader(path, bytes);
  const ModelEntries entries(
      ModelReader::FromBytes(bytes.substr(header.directory_begin), path, kConvertedDirectory),
      kConvertedTask);
  Part part;
  part.file = file;
  part.num_examples = static_cast<Index>(header.num_examples);
  MultiLabelData& about = part.about;
  about.label_names = entries.file().Strings("label_names");
  const auto sizes = entries.Integers("sizes", 3);
  about.num_features = entries.ToIndex("sizes", sizes[0]);
  about.has_constant = sizes[1] != 0;
  entries.Require(!about.label_names.empty() && sizes[1] >= 0 && sizes[1] <= 1 && sizes[2] >= -1 &&
                      about.num_features < std::numeric_limits<Index>::max() - 1 &&
                      std::ssize(about.label_names) < std::numeric_limits<Index>::max(),
                  "sizes");
  part.windows.bytes = sizes[2];
  about.feature_names = entries.file().Strings("feature_names");
  const auto fill_values = entries.file().Doubles("fill_values");
  about.fill_values.assign(fill_values.begin(), fill_values.end());
  const auto fits = [&](std::size_t size) { return size == 0 || size == Size(about.num_features); };
  entries.Require(fits(about.feature_names.size()), "feature_names");
  entries.Require(fits(about.fill_values.size()), "fill_values");
  about.notes = entries.file().Strings("notes");
  about.converted = std::make_shared<const ConvertedValues>(ConvertedValues{
      LoadScaling(entries, about.num_features), entries.file().String("scaling_line"),
      entries.file().Strings("scaling_warnings")});
  part.blocks = ReadBlocks(entries, header, about.num_labels());
  return part;
}

bool SameScaling(const FeatureScaling& a, const FeatureScaling& b) {
  return a.kind() == b.kind() && a.shift() == b.shift() && a.divisor() == b.divisor();
}

/// Throws DataError unless the parts differ in nothing but their examples.
void CheckAlike(const FileMap& map, const Part& first, const Part& part) {
  const auto require = [&](bool same, const char* what) {
    if (same) return;
    throw DataError(map.path(part.file), 0,
                    std::string("has other ") + what + " than " + map.path(first.file) +
                        ": convert all parts together");
  };
  const MultiLabelData& a = first.about;
  const MultiLabelData& b = part.about;
  require(a.label_names == b.label_names, "labels");
  require(a.num_features == b.num_features && a.feature_names == b.feature_names, "features");
  require(a.has_constant == b.has_constant, "settings of --bias");
  require(SameScaling(a.converted->scaling, b.converted->scaling), "scales");
  require(a.fill_values == b.fill_values, "replacements of missing values");
  require(first.windows == part.windows, "settings of --window");
}

/// Throws DataError unless the data are what the options ask for.
void CheckWanted(const std::string& source, const MultiLabelData& about,
                 const MultiLabelReadOptions& options) {
  const auto fail = [&](const std::string& message) { throw DataError(source, 0, message); };
  if (options.format != MultiLabelFormat::kAuto)
    fail("converted data, not " + std::string(Name(options.format)) + ": leave --format out");
  if (!options.label_columns.empty() || !options.ignore_columns.empty())
    fail(
        "--label-columns and --ignore-columns belong to tables (CSV, TSV), but these are "
        "converted data");
  if (about.has_constant != options.append_constant) {
    fail(about.has_constant
             ? "converted with a constant feature, which is not wanted here: convert the data "
               "again, with --bias 0"
             : "converted without a constant feature: pass --bias 0 here, or convert the data "
               "again, with --bias 1");
  }
  if (!options.labels_xml.empty()) {
    std::vector<std::string> given = ReadMulanLabelNames(options.labels_xml);
    std::vector<std::string> own = about.label_names;
    std::sort(given.begin(), given.end());
    std::sort(own.begin(), own.end());
    if (given != own) fail("has other labels than " + options.labels_xml);
  }
  if (!options.for_prediction()) return;
  const std::string again = ": convert the data again, with --for and this model";
  if (options.table) fail("the model was trained on a table, which cannot be converted");
  if (about.label_names != options.label_names) fail("has other labels than the model");
  if (about.num_features != options.num_features)
    fail("has " + Count(about.num_features, "feature") + ", but the model has " +
         std::to_string(options.num_features) + again);
  if (about.feature_names != options.feature_names && !options.feature_names.empty())
    fail("has other features than the model" + again);
  if (!SameScaling(about.converted->scaling, options.scaling))
    fail("its values are scaled in another way than those that the model was trained on" + again);
}

/// Reads the rows of one rank.
class RowLoader {
 public:
  RowLoader(std::shared_ptr<const FileMap> map, const std::vector<Part>& parts, Ranks::Piece mine)
      : map_(std::move(map)), parts_(parts), mine_(mine) {}

  MultiLabelData Load(const std::string& source) {
    data_ = parts_.front().about;
    data_.source = source;
    rows_ = std::make_shared<FeatureRows>(map_);
    rows_->Reserve(static_cast<Index>(mine_.size()), 0, 0);
    data_.labels.reserve(Size(mine_.size()) * data_.label_names.size());
    data_.lines.reserve(Size(mine_.size()));
    Offset first = 0;  // number of the part's first example
    for (const Part& part : parts_) {
      if (&part != &parts_.front())
        data_.notes.insert(data_.notes.end(), part.about.notes.begin(), part.about.notes.end());
      LoadPart(part, first);
      first += part.num_examples;
    }
    ConvertedValues values = *data_.converted;
    values.window_bytes = WindowBytes();
    if (values.window_bytes > 0) rows_->SetWindows(WindowEnds(values.window_bytes / kWindowParts));
    data_.converted = std::make_shared<const ConvertedValues>(std::move(values));
    data_.rows = std::move(rows_);
    return std::move(data_);
  }

 private:
  void LoadPart(const Part& part, Offset first) {
    Offset begin = first;
    for (std::size_t b = 0; b < part.blocks.size(); ++b) {
      const ConvertedBlock& block = part.blocks[b];
      const Offset end = begin + block.rows;
      if (begin < mine_.end && end > mine_.begin) {
        if (b % kBlocksAhead == 0 || begin <= mine_.begin) ReadAhead(part, b);
        LoadBlock(part, block, begin, first);
      }
      begin = end;
    }
  }

  void ReadAhead(const Part& part, std::size_t b) const {
    const std::uint64_t begin = part.blocks[b].begin;
    const ConvertedBlock& last =
        part.blocks[std::min(b + 2 * kBlocksAhead, part.blocks.size()) - 1];
    map_->WillNeed(map_->begin(part.file) + begin, last.begin + last.bytes - begin);
  }

  /// begin: the number of the block's first example; first: that of the part.
  void LoadBlock(const Part& part, const ConvertedBlock& block, Offset begin, Offset first) {
    const std::string& path = map_->path(part.file);
    const std::string_view bytes = map_->bytes(part.file).substr(block.begin, block.bytes);
    if (Crc32(bytes) != block.checksum)
      FailDamaged(path, "the checksum of the examples from number " +
                            std::to_string(begin - first + 1) + " on does not match");
    const Offset place = static_cast<Offset>(map_->begin(part.file) + block.begin);
    const Index width = data_.num_features + (data_.has_constant ? 1 : 0);
    const std::size_t num_labels = data_.label_names.size();
    Offset m = begin;
    bool good = true;
    const auto add = [&](Offset values, Offset columns, Index count) {
      if (m >= mine_.begin && m < mine_.end) {
        good = good && (!block.dense || count == width);
        rows_->AddMapped(place + values, columns < 0 ? -1 : place + columns, count);
        const char* const labels =
            bytes.data() + block.labels_begin() + Size(m - begin) * num_labels;
        for (std::size_t i = 0; i < num_labels; ++i) {
          const auto label = static_cast<std::int8_t>(labels[i]);
          good = good && label >= -1 && label <= 1;
          data_.labels.push_back(label);
        }
        if (path != data_.source) data_.files.Add(data_.num_examples(), path);
        data_.lines.push_back(static_cast<long>(m - first + 1));
      }
      ++m;
    };
    try {
      good = ForEachConvertedRow(bytes, block, data_.num_labels(), add) && good;
    } catch (const std::invalid_argument&) {
      FailDamaged(path, "the features of example " + std::to_string(m - first + 1) +
                            " do not increase, or are not finite numbers");
    }
    if (!good || rows_->dimension() > width)
      FailDamaged(path, "examples from number " + std::to_string(begin - first + 1) +
                            " on contradict the directory");
  }

  /// 0: one window.
  std::int64_t WindowBytes() const {
    std::int64_t total = 0;
    for (const Part& part : parts_) {
      for (const ConvertedBlock& block : part.blocks)
        total += static_cast<std::int64_t>(block.bytes);
    }
    std::int64_t wanted = parts_.front().windows.bytes;
    if (wanted < 0) wanted = total > kLeastBytesInWindows ? kWindowBytes : 0;
    return total > wanted ? wanted : 0;
  }

  /// Windows are those of all rows together, so that they do not depend on the ranks.
  std::vector<Index> WindowEnds(std::int64_t wanted) const {
    std::vector<Index> ends;
    Offset row = 0;
    std::int64_t bytes = 0;
    const auto end_window = [&] {
      const Offset end = std::min(row, mine_.end) - mine_.begin;
      if (end > (ends.empty() ? 0 : ends.back())) ends.push_back(static_cast<Index>(end));
      bytes = 0;
    };
    for (const Part& part : parts_) {
      for (const ConvertedBlock& block : part.blocks) {
        row += block.rows;
        bytes += static_cast<std::int64_t>(block.bytes);
        if (bytes >= wanted) end_window();
      }
    }
    end_window();
    return ends;
  }

  std::shared_ptr<const FileMap> map_;
  const std::vector<Part>& parts_;
  const Ranks::Piece mine_;
  MultiLabelData data_;
  std::shared_ptr<FeatureRows> rows_;
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

MultiLabelData ReadConverted(const std::string& path, const MultiLabelReadOptions& options) {
  Ranks& ranks = RanksOrOne(options.ranks);
  std::vector<std::string> files;
  for (const DataFile& file : FindDataSource(ranks, path).files) files.push_back(file.path);
  MultiLabelData data;
  OnAllRanks(ranks, [&] {
    const auto map = std::make_shared<const FileMap>(files);
    map->ExpectRandomReads();
    std::vector<Part> parts;
    Offset examples = 0;
    for (Index file = 0; file < map->num_files(); ++file) {
      parts.push_back(ReadPart(*map, file));
      CheckAlike(*map, parts.front(), parts.back());
      examples += parts.back().num_examples;
    }
    CheckWanted(path, parts.front().about, options);
    if (examples > std::numeric_limits<Index>::max()) throw DataError(path, 0, "too many examples");
    const Index shards = options.shards > 0 ? options.shards : Index{ranks.size()};
    data = RowLoader(map, parts, RecordsOfRank(ranks, examples, shards, ranks.rank())).Load(path);
  });
  return data;
}

}  // namespace slackline::internal
