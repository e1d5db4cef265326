// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/converted_writer.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include <slackline/apps/common/scaling_entries.h>
#include <slackline/apps/multilabel/data/converted_layout.h>
#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <slackline/core/file_map.h>
#include <slackline/core/model_file.h>

namespace slackline::internal {
namespace {

/// A block ends with the row that makes its rows at least this long.
constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;

template <class T>
void AppendBytes(const T* values, std::size_t count, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(values), count * sizeof(T));
  bytes->resize(ConvertedAligned(bytes->size()), '\0');
}

}  // namespace

struct ConvertedWriter::State {
  State(const std::string& path, Index label_count) : file(path), num_labels(label_count) {}

  void EndBlock();
  std::string_view BytesOf(const FileMap& map, const ConvertedBlock& block) const {
    return map.bytes(0).substr(block.begin, block.bytes);
  }

  AtomicFile file;
  const Index num_labels;
  Index num_examples = 0;
  std::uint64_t end = 0;  // of what has been written
  std::vector<ConvertedBlock> blocks;
  // The block that is being filled.
  bool dense = false;
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
  blocks.push_back({end, bytes.size(), static_cast<Index>(counts.size()), dense, Crc32(bytes)});
  file.Write(bytes);
  end += bytes.size();
  counts.clear();
  labels.clear();
  rows.clear();
}

ConvertedWriter::ConvertedWriter(const std::string& path, Index num_labels)
    : state_(std::make_unique<State>(path, num_labels)) {
  state_->end = sizeof(ConvertedHeader);
  state_->file.Write(std::string(sizeof(ConvertedHeader), '\0'));
}

ConvertedWriter::~ConvertedWriter() = default;

void ConvertedWriter::Add(const FeatureRow& row, std::span<const std::int8_t> labels) {
  State& state = *state_;
  SLACKLINE_CHECK(std::ssize(labels) == state.num_labels, "an example needs all of its labels");
  SLACKLINE_CHECK(state.num_examples < std::numeric_limits<Index>::max(), "too many examples");
  if (row.dense() != state.dense) state.EndBlock();
  state.dense = row.dense();
  state.counts.push_back(row.count);
  state.labels.append(reinterpret_cast<const char*>(labels.data()), labels.size());
  AppendBytes(row.values, Size(row.count), &state.rows);
  if (!row.dense()) AppendBytes(row.columns, Size(row.count), &state.rows);
  ++state.num_examples;
  if (state.rows.size() >= kBlockBytes) state.EndBlock();
}

void ConvertedWriter::EndExamples() { state_->EndBlock(); }

std::shared_ptr<const FeatureRows> ConvertedWriter::Rows() const {
  const auto map =
      std::make_shared<const FileMap>(std::vector<std::string>{state_->file.temporary()});
  auto rows = std::make_shared<FeatureRows>(map);
  rows->Reserve(state_->num_examples, 0, 0);
  for (const ConvertedBlock& block : state_->blocks) {
    const auto place = static_cast<Offset>(block.begin);
    ForEachConvertedRow(state_->BytesOf(*map, block), block, state_->num_labels,
                        [&](Offset values, Offset columns, Index count) {
                          rows->AddMapped(place + values, columns < 0 ? -1 : place + columns,
                                          count);
                        });
  }
  return rows;
}

void ConvertedWriter::Change(const RowChange& change) {
  const FileMap map({state_->file.temporary()});
  std::string bytes;
  for (ConvertedBlock& block : state_->blocks) {
    // A copy, since pages that change while they are read would have to be read again.
    bytes = state_->BytesOf(map, block);
    ForEachConvertedRow(
        bytes, block, state_->num_labels, [&](Offset values, Offset columns, Index count) {
          char* const begin = bytes.data();
          const std::size_t size = Size(count);
          change(columns < 0 ? std::span<Index>()
                             : std::span(reinterpret_cast<Index*>(begin + columns), size),
                 std::span(reinterpret_cast<double*>(begin + values), size));
        });
    block.checksum = Crc32(bytes);
    state_->file.Rewrite(block.begin, bytes);
  }
}

void ConvertedWriter::Finish(const MultiLabelData& about, WindowChoice windows) {
  SLACKLINE_CHECK(about.converted != nullptr && about.num_labels() == state_->num_labels,
                  "converted data need their labels and their scaling");
  ModelWriter directory;
  directory.Add("task", std::string(kConvertedTask));
  directory.Add("label_names", about.label_names);
  directory.Add("sizes", std::vector<std::int64_t>{about.num_features, about.has_constant ? 1 : 0,
                                                   windows.bytes});
  directory.Add("feature_names", about.feature_names);
  directory.Add("fill_values", about.fill_values);
  directory.Add("notes", about.notes);
  SaveScaling(about.converted->scaling, &directory);
  directory.Add("scaling_line", about.converted->scaling_line);
  directory.Add("scaling_warnings", about.converted->warnings);
  std::vector<std::int64_t> numbers;
  for (const ConvertedBlock& block : state_->blocks) {
    numbers.insert(numbers.end(),
                   {static_cast<std::int64_t>(block.begin), static_cast<std::int64_t>(block.bytes),
                    block.rows, block.dense ? 1 : 0, std::int64_t{block.checksum}});
  }
  directory.Add("blocks", numbers);
  const std::string bytes = directory.Bytes(kConvertedDirectory);
  state_->file.Write(bytes);
  ConvertedHeader header{};
  std::copy(kConvertedMagic.begin(), kConvertedMagic.end(), header.magic.begin());
  header.version = kConvertedVersion;
  header.byte_order = kConvertedByteOrder;
  header.length = state_->end + bytes.size();
  header.directory_begin = state_->end;
  header.num_examples = static_cast<std::uint64_t>(state_->num_examples);
  header.checksum = header.CorrectChecksum();
  state_->file.Rewrite(0, header.bytes());
  state_->file.Commit();
}

Index ConvertedWriter::num_examples() const { return state_->num_examples; }
std::uint64_t ConvertedWriter::bytes() const { return state_->end - sizeof(ConvertedHeader); }

}  // namespace slackline::internal
