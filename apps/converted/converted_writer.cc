// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/converted/converted_writer.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <slackline/apps/common/scaling_entries.h>
#include <slackline/apps/converted/converted_layout.h>
#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <slackline/core/file_map.h>

namespace slackline::internal {
namespace {

/// A block ends with the example that makes its rows at least this long.
constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;

using Blocks = std::vector<ConvertedBlock>;

template <class T>
void AppendBytes(const T* values, std::size_t count, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(values), count * sizeof(T));
  bytes->resize(ConvertedAligned(bytes->size()), '\0');
}

std::string PartPath(const std::string& folder, std::size_t number) {
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 5 ? 5 - digits.size() : 0, '0');
  return folder + "/part-" + digits;
}

void WriteFacts(const ConvertedFacts& facts, ModelWriter* directory) {
  directory->Add("label_names", facts.label_names);
  directory->Add("sizes", std::vector<std::int64_t>{facts.num_features, facts.has_constant ? 1 : 0,
                                                    facts.windows.bytes});
  SaveScaling(facts.values.scaling, directory);
  directory->Add("scaling_line", facts.values.scaling_line);
  directory->Add("scaling_warnings", facts.values.warnings);
}

/// What a conversion found, which only the first of its parts tells.
void AddFindings(const std::vector<std::string>& notes, std::int64_t unknown_features,
                 ModelWriter* directory) {
  directory->Add("notes", notes);
  directory->Add("unknown_features", std::vector<std::int64_t>{unknown_features});
}

/// Ends a file whose blocks were written after an empty header, and gives the file its name.
void EndFile(ModelWriter directory, const Blocks& blocks, AtomicFile* file) {
  std::vector<std::int64_t> numbers;
  ConvertedHeader header{};
  header.directory_begin = sizeof(ConvertedHeader);
  for (const ConvertedBlock& block : blocks) {
    numbers.insert(
        numbers.end(),
        {static_cast<std::int64_t>(header.directory_begin), static_cast<std::int64_t>(block.bytes),
         block.rows, block.examples, block.dense ? 1 : 0, std::int64_t{block.checksum}});
    header.directory_begin += block.bytes;
    header.num_examples += Size(block.examples);
  }
  directory.Add("blocks", numbers);
  const std::string bytes = directory.Bytes(kConvertedDirectory);
  file->Write(bytes);
  std::copy(kConvertedMagic.begin(), kConvertedMagic.end(), header.magic.begin());
  header.version = kConvertedVersion;
  header.byte_order = kConvertedByteOrder;
  header.length = header.directory_begin + bytes.size();
  header.checksum = header.CorrectChecksum();
  file->Rewrite(0, header.bytes());
  file->Commit();
}

/// The number of the first block of each part, and of the block after the last one: each part has
/// at least one block, and ends where its bytes are nearest to its share of all of them.
std::vector<std::size_t> FirstBlocks(const Blocks& blocks, std::size_t parts) {
  std::vector<std::size_t> firsts = {0};
  const auto begin = static_cast<double>(blocks.front().begin);
  const double total = static_cast<double>(blocks.back().begin + blocks.back().bytes) - begin;
  for (std::size_t p = 1; p < parts; ++p) {
    const double wanted = begin + total * static_cast<double>(p) / static_cast<double>(parts);
    std::size_t b = firsts.back() + 1;
    while (b + (parts - p) < blocks.size() &&
           static_cast<double>(blocks[b].begin) + static_cast<double>(blocks[b].bytes) / 2 <=
               wanted)
      ++b;
    firsts.push_back(b);
  }
  firsts.push_back(blocks.size());
  return firsts;
}

}  // namespace

struct ConvertedWriter::State {
  State(const ConvertedTarget& target, Index label_bytes_of_row)
      : parts(Size(target.parts)), label_bytes(label_bytes_of_row) {
    if (parts > 0) folder.emplace(target.path);
    file.emplace(folder ? PartPath(folder->temporary(), 0) : target.path);
  }

  void EndBlock();
  void WritePart(std::size_t number, std::span<const ConvertedBlock> part, ModelWriter directory);
  std::string_view BytesOf(const FileMap& map, const ConvertedBlock& block) const {
    return map.bytes(0).substr(block.begin, block.bytes);
  }

  const std::size_t parts;             // 0: a file
  std::optional<AtomicFolder> folder;  // of parts
  std::optional<AtomicFile> file;      // with all blocks, the first part in the end
  const Index label_bytes;
  Index num_rows = 0;
  Index num_examples = 0;
  std::uint64_t end = 0;  // of what has been written
  Index num_files = 1;
  Blocks blocks;
  // The block that is being filled.
  bool dense = false;
  Index examples = 0;
  std::vector<std::int32_t> counts;
  std::string labels;
  std::string rows;
};

void ConvertedWriter::State::EndBlock() {
  if (counts.empty()) return;
  std::string bytes;
  AppendBytes(counts.data(), counts.size(), &bytes);
  AppendBytes(labels.data(), labels.size(), &bytes);
  bytes += rows;
  blocks.push_back(
      {end, bytes.size(), static_cast<Index>(counts.size()), examples, dense, Crc32(bytes)});
  file->Write(bytes);
  end += bytes.size();
  examples = 0;
  counts.clear();
  labels.clear();
  rows.clear();
}

/// Copies blocks from the end of the file to a part of their own, and removes them there.
void ConvertedWriter::State::WritePart(std::size_t number, std::span<const ConvertedBlock> part,
                                       ModelWriter directory) {
  AtomicFile copy(PartPath(folder->temporary(), number));
  copy.Write(std::string(sizeof(ConvertedHeader), '\0'));
  {
    const FileMap map({file->temporary()});
    for (const ConvertedBlock& block : part) copy.Write(BytesOf(map, block));
  }
  EndFile(std::move(directory), {part.begin(), part.end()}, &copy);
  file->Truncate(part.front().begin);
}

ConvertedWriter::ConvertedWriter(const ConvertedTarget& target, Index label_bytes)
    : state_(std::make_unique<State>(target, label_bytes)) {
  state_->end = sizeof(ConvertedHeader);
  state_->file->Write(std::string(sizeof(ConvertedHeader), '\0'));
}

ConvertedWriter::~ConvertedWriter() = default;

void ConvertedWriter::Add(const FeatureRow& row, std::string_view labels, bool begins_example) {
  State& state = *state_;
  SLACKLINE_CHECK(std::ssize(labels) == state.label_bytes, "a row needs all of its labels");
  SLACKLINE_CHECK(begins_example || state.examples > 0, "an example begins with its first row");
  SLACKLINE_CHECK(state.num_rows < std::numeric_limits<Index>::max(), "too many rows");
  if (begins_example && (row.dense() != state.dense || state.rows.size() >= kBlockBytes))
    state.EndBlock();
  if (begins_example) state.dense = row.dense();
  SLACKLINE_CHECK(row.dense() == state.dense, "the rows of an example are dense or sparse");
  state.counts.push_back(row.count);
  state.labels.append(labels);
  AppendBytes(row.values, Size(row.count), &state.rows);
  if (!row.dense()) AppendBytes(row.columns, Size(row.count), &state.rows);
  ++state.num_rows;
  state.examples += begins_example ? 1 : 0;
  state.num_examples += begins_example ? 1 : 0;
}

void ConvertedWriter::EndExamples() { state_->EndBlock(); }

std::shared_ptr<const FeatureRows> ConvertedWriter::Rows() const {
  const auto map =
      std::make_shared<const FileMap>(std::vector<std::string>{state_->file->temporary()});
  auto rows = std::make_shared<FeatureRows>(map);
  rows->Reserve(state_->num_rows, 0, 0);
  for (const ConvertedBlock& block : state_->blocks) {
    const auto place = static_cast<Offset>(block.begin);
    ForEachConvertedRow(state_->BytesOf(*map, block), block, state_->label_bytes,
                        [&](Offset values, Offset columns, Index count) {
                          rows->AddMapped(place + values, columns < 0 ? -1 : place + columns,
                                          count);
                        });
  }
  return rows;
}

void ConvertedWriter::Change(const RowChange& change) {
  const FileMap map({state_->file->temporary()});
  std::string bytes;
  for (ConvertedBlock& block : state_->blocks) {
    // A copy, since pages that change while they are read would have to be read again.
    bytes = state_->BytesOf(map, block);
    ForEachConvertedRow(
        bytes, block, state_->label_bytes, [&](Offset values, Offset columns, Index count) {
          char* const begin = bytes.data();
          const std::size_t size = Size(count);
          change(columns < 0 ? std::span<Index>()
                             : std::span(reinterpret_cast<Index*>(begin + columns), size),
                 std::span(reinterpret_cast<double*>(begin + values), size));
        });
    block.checksum = Crc32(bytes);
    state_->file->Rewrite(block.begin, bytes);
  }
}

void ConvertedWriter::Finish(const ConvertedFacts& facts, const ModelWriter& directory) {
  State& state = *state_;
  SLACKLINE_CHECK(!state.blocks.empty(), "converted data need examples");
  ModelWriter common = directory;
  WriteFacts(facts, &common);
  ModelWriter first = common;
  AddFindings(facts.notes, facts.unknown_features, &first);
  std::size_t kept = state.blocks.size();
  if (state.parts > 1) {
    AddFindings({}, 0, &common);
    const auto firsts = FirstBlocks(state.blocks, std::min(state.parts, state.blocks.size()));
    for (std::size_t p = firsts.size() - 2; p > 0; --p) {
      state.WritePart(p, std::span(state.blocks).subspan(firsts[p], firsts[p + 1] - firsts[p]),
                      common);
    }
    state.num_files = static_cast<Index>(firsts.size() - 1);
    kept = firsts[1];
  }
  EndFile(std::move(first), {state.blocks.begin(), state.blocks.begin() + kept}, &*state.file);
  if (state.folder) state.folder->Commit();
}

Index ConvertedWriter::num_examples() const { return state_->num_examples; }
std::uint64_t ConvertedWriter::bytes() const { return state_->end - sizeof(ConvertedHeader); }
Index ConvertedWriter::num_files() const { return state_->num_files; }

}  // namespace slackline::internal
