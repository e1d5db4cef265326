// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/converted/converted_writer.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
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

/// The bytes of a block with rows of ones, with values in every row.
std::string WithValues(std::string_view bytes, Index label_bytes, ConvertedBlock* block) {
  std::string result(bytes.substr(0, block->rows_begin(label_bytes)));
  ForEachConvertedRow(bytes, *block, label_bytes, [&](const ConvertedPlace& place) {
    const auto values = static_cast<std::size_t>(place.values);
    const auto columns = static_cast<std::size_t>(place.columns);
    result.append(bytes.substr(values, 8 * Size(place.count)));
    AppendBytes(bytes.data() + columns, 4 * Size(place.count), &result);
  });
  block->kind = ConvertedRows::kSparse;
  return result;
}

/// Where all values of a block of sparse rows are 1, lets the rows share them.
void ShareOnes(Index label_bytes, ConvertedBlock* block, std::string* bytes) {
  if (block->kind != ConvertedRows::kSparse) return;
  Index most = 0;
  bool ones = true;
  ForEachConvertedRow(*bytes, *block, label_bytes, [&](const ConvertedPlace& place) {
    most = std::max(most, place.count);
    const char* const values = bytes->data() + place.values;
    for (Index k = 0; ones && k < place.count; ++k) {
      double value = 0;
      std::memcpy(&value, values + 8 * Offset{k}, sizeof(value));
      ones = value == 1;
    }
  });
  if (!ones || most == 0) return;
  std::string result = bytes->substr(0, block->rows_begin(label_bytes));
  const std::vector<double> shared(Size(most), 1.0);
  AppendBytes(shared.data(), shared.size(), &result);
  ForEachConvertedRow(*bytes, *block, label_bytes, [&](const ConvertedPlace& place) {
    result.append(*bytes, static_cast<std::size_t>(place.columns), 4 * Size(place.count));
  });
  result.resize(ConvertedAligned(result.size()), '\0');
  block->kind = ConvertedRows::kOnes;
  *bytes = std::move(result);
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
  std::vector<std::string> options;
  for (const auto& [name, text] : facts.values.options) options.insert(options.end(), {name, text});
  directory->Add("options", options);
  SaveScaling(facts.values.scaling, directory);
  directory->Add("scaling_line", facts.values.scaling_line);
  directory->Add("scaling_warnings", facts.values.warnings);
}

/// What a conversion found. Only the first part of the data tells it.
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
         block.rows, block.examples, static_cast<std::int64_t>(block.kind),
         static_cast<std::int64_t>(block.all_label_bytes), std::int64_t{block.checksum}});
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

/// The number of the first block of each part, and of the block after the last one. Each part has
/// at least one block, and ends where its bytes are nearest to an equal share of all bytes.
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
      : parts(Size(target.parts)), label_bytes(label_bytes_of_row), path(target.path) {
    if (parts > 0) folder.emplace(target.path);
    file = NewFile();
  }

  /// Another temporary file for the same blocks.
  std::unique_ptr<AtomicFile> NewFile() const {
    auto fresh = std::make_unique<AtomicFile>(folder ? PartPath(folder->temporary(), 0) : path);
    fresh->Write(std::string(sizeof(ConvertedHeader), '\0'));
    return fresh;
  }

  void EndBlock();
  /// A new file with the bytes of the first blocks of the file.
  std::unique_ptr<AtomicFile> CopyOf(std::span<const ConvertedBlock> first) const;
  void WritePart(std::size_t number, std::span<const ConvertedBlock> part, ModelWriter directory);
  std::string_view BytesOf(const FileMap& map, const ConvertedBlock& block) const {
    return map.bytes(0).substr(block.begin, block.bytes);
  }

  const std::size_t parts;             // 0: a file
  std::optional<AtomicFolder> folder;  // of parts
  const Index label_bytes;             // of a row, or kLabelsVary
  const std::string path;
  std::unique_ptr<AtomicFile> file;  // with all blocks, the first part in the end
  Index num_rows = 0;
  Index num_examples = 0;
  std::uint64_t end = 0;  // of what has been written
  Index num_files = 1;
  Blocks blocks;
  // The block that is being filled.
  bool dense = false;
  Index examples = 0;
  std::vector<std::int32_t> counts;
  std::vector<std::int32_t> label_lengths;  // if they vary
  std::string labels;
  std::string rows;
};

void ConvertedWriter::State::EndBlock() {
  if (counts.empty()) return;
  std::string bytes;
  AppendBytes(counts.data(), counts.size(), &bytes);
  AppendBytes(label_lengths.data(), label_lengths.size(), &bytes);
  AppendBytes(labels.data(), labels.size(), &bytes);
  bytes += rows;
  ConvertedBlock& block = blocks.emplace_back();
  block.begin = end;
  block.bytes = bytes.size();
  block.rows = static_cast<Index>(counts.size());
  block.examples = examples;
  block.kind = dense ? ConvertedRows::kDense : ConvertedRows::kSparse;
  block.all_label_bytes = labels.size();
  ShareOnes(label_bytes, &block, &bytes);
  block.bytes = bytes.size();
  block.checksum = Crc32(bytes);
  file->Write(bytes);
  end += bytes.size();
  examples = 0;
  counts.clear();
  label_lengths.clear();
  labels.clear();
  rows.clear();
}

std::unique_ptr<AtomicFile> ConvertedWriter::State::CopyOf(
    std::span<const ConvertedBlock> first) const {
  std::unique_ptr<AtomicFile> copy = NewFile();
  const FileMap map({file->temporary()});
  for (const ConvertedBlock& block : first) copy->Write(BytesOf(map, block));
  return copy;
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
}

ConvertedWriter::~ConvertedWriter() = default;

void ConvertedWriter::Add(const FeatureRow& row, std::string_view labels, bool begins_example) {
  State& state = *state_;
  const bool vary = state.label_bytes == kLabelsVary;
  SLACKLINE_CHECK(vary || std::ssize(labels) == state.label_bytes, "a row needs all of its labels");
  SLACKLINE_CHECK(begins_example || state.examples > 0, "an example begins with its first row");
  SLACKLINE_CHECK(state.num_rows < std::numeric_limits<Index>::max(), "too many rows");
  if (begins_example && (row.dense() != state.dense || state.rows.size() >= kBlockBytes))
    state.EndBlock();
  if (begins_example) state.dense = row.dense();
  SLACKLINE_CHECK(row.dense() == state.dense, "the rows of an example are dense or sparse");
  state.counts.push_back(row.count);
  if (vary) state.label_lengths.push_back(static_cast<std::int32_t>(labels.size()));
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
    ForEachConvertedRow(
        state_->BytesOf(*map, block), block, state_->label_bytes, [&](const ConvertedPlace& at) {
          rows->AddMapped(place + at.values, at.columns < 0 ? -1 : place + at.columns, at.count);
        });
  }
  return rows;
}

void ConvertedWriter::Change(const RowChange& change) {
  State& state = *state_;
  const FileMap map({state.file->temporary()});
  std::unique_ptr<AtomicFile> moved;  // the new file, from the first block of another size on
  std::uint64_t end = sizeof(ConvertedHeader);
  for (std::size_t b = 0; b < state.blocks.size(); ++b) {
    ConvertedBlock& block = state.blocks[b];
    // A copy: pages that change while they are read would have to be read again.
    std::string bytes = block.kind == ConvertedRows::kOnes
                            ? WithValues(state.BytesOf(map, block), state.label_bytes, &block)
                            : std::string(state.BytesOf(map, block));
    ForEachConvertedRow(bytes, block, state.label_bytes, [&](const ConvertedPlace& place) {
      char* const begin = bytes.data();
      const std::size_t size = Size(place.count);
      change(place.columns < 0 ? std::span<Index>()
                               : std::span(reinterpret_cast<Index*>(begin + place.columns), size),
             std::span(reinterpret_cast<double*>(begin + place.values), size));
    });
    ShareOnes(state.label_bytes, &block, &bytes);
    block.checksum = Crc32(bytes);
    if (moved == nullptr && bytes.size() != block.bytes)
      moved = state.CopyOf(std::span(state.blocks).first(b));
    block.begin = end;
    block.bytes = bytes.size();
    end += block.bytes;
    if (moved != nullptr) {
      moved->Write(bytes);
    } else {
      state.file->Rewrite(block.begin, bytes);
    }
  }
  state.end = end;
  if (moved != nullptr) state.file = std::move(moved);
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
