// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a file of converted data (docs/reference/converted_file.md).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include <slackline/apps/converted/converted_values.h>
#include <slackline/core/model_file.h>
#include <slackline/core/types.h>

namespace slackline::internal {

inline constexpr std::string_view kConvertedMagic = "SLACKSET";
inline constexpr std::uint32_t kConvertedVersion = 3;
inline constexpr std::uint32_t kConvertedByteOrder = 0x01020304;
/// The directory is a container of entries.
inline constexpr FileKind kConvertedDirectory{"SLACKDIR", "directory of the converted data"};

struct ConvertedHeader {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t byte_order;
  std::uint64_t length;  ///< of the file
  std::uint64_t directory_begin;
  std::uint64_t num_examples;
  std::uint64_t zeros[2];
  std::uint32_t zero;
  std::uint32_t checksum;  ///< of all members before this one

  std::string_view bytes() const;
  std::uint32_t CorrectChecksum() const;
};
static_assert(sizeof(ConvertedHeader) == 64);

// Rows are used in place, so that these types must have the layout of the file.
static_assert(sizeof(Index) == 4 && sizeof(double) == 8);

/// Arrays begin at multiples of 8 bytes.
constexpr std::uint64_t ConvertedAligned(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

/// How the rows of a block are stored.
enum class ConvertedRows : std::uint8_t {
  kSparse,  ///< values and columns, row by row
  kDense,   ///< values
  kOnes  ///< columns, after the values that all rows share: 1, as often as the longest row has it
};

/// Consecutive examples in the file, in this order: the numbers of values of their rows, the labels
/// of the rows (after their numbers of bytes, where these vary), and the rows.
struct ConvertedBlock {
  std::uint64_t begin = 0;  ///< in the file
  std::uint64_t bytes = 0;
  Index rows = 0;
  Index examples = 0;  ///< that begin, and end, in the block
  ConvertedRows kind = ConvertedRows::kSparse;
  std::uint64_t all_label_bytes = 0;  ///< of all rows
  std::uint32_t checksum = 0;

  bool dense() const { return kind == ConvertedRows::kDense; }
  /// label_bytes: of a row, or kLabelsVary.
  std::uint64_t labels_begin(Index label_bytes) const {
    return ConvertedAligned(std::uint64_t{4} * Size(rows)) * (label_bytes == kLabelsVary ? 2 : 1);
  }
  std::uint64_t rows_begin(Index label_bytes) const {
    return labels_begin(label_bytes) + ConvertedAligned(all_label_bytes);
  }
  std::uint64_t RowBytes(Index count) const {
    if (kind == ConvertedRows::kOnes) return 4 * Size(count);
    return 8 * Size(count) + (dense() ? 0 : ConvertedAligned(4 * Size(count)));
  }
};
inline constexpr std::size_t kNumbersPerBlock = 7;  // in the directory

/// Where a row of a block lies in the bytes of the block.
struct ConvertedPlace {
  Offset values = 0;
  Offset columns = 0;  ///< −1: dense
  Index count = 0;
  std::string_view labels;
};

/// The i-th of the 32-bit numbers that begin at `place` in `bytes`.
inline std::int32_t ConvertedNumber(std::string_view bytes, std::uint64_t place, Index i) {
  std::int32_t number = 0;
  std::memcpy(&number, bytes.data() + place + std::size_t{4} * Size(i), sizeof(number));
  return number;
}

/// Calls visit(place) for the rows of a block with these bytes. Returns false, before reading
/// beyond the block, when the numbers of values or of label bytes do not fit the block.
template <class Visit>
bool ForEachConvertedRow(std::string_view bytes, const ConvertedBlock& block, Index label_bytes,
                         const Visit& visit) {
  std::uint64_t at = block.rows_begin(label_bytes);
  if (at > bytes.size()) return false;
  const std::uint64_t shared = at;
  if (block.kind == ConvertedRows::kOnes) {
    std::int32_t most = 0;
    for (Index r = 0; r < block.rows; ++r) most = std::max(most, ConvertedNumber(bytes, 0, r));
    at += 8 * Size(most);
    if (at > bytes.size()) return false;
  }
  std::string_view labels = bytes.substr(block.labels_begin(label_bytes), block.all_label_bytes);
  const std::uint64_t lengths = block.labels_begin(label_bytes) / 2;  // if labels vary
  for (Index r = 0; r < block.rows; ++r) {
    const Index count = ConvertedNumber(bytes, 0, r);
    const Index length =
        label_bytes == kLabelsVary ? ConvertedNumber(bytes, lengths, r) : label_bytes;
    if (count < 0 || block.RowBytes(count) > bytes.size() - at) return false;
    if (length < 0 || Size(length) > labels.size()) return false;
    ConvertedPlace place{static_cast<Offset>(at), -1, count, labels.substr(0, Size(length))};
    if (block.kind == ConvertedRows::kOnes) {
      place.columns = std::exchange(place.values, static_cast<Offset>(shared));
    } else if (!block.dense()) {
      place.columns = place.values + 8 * Offset{count};
    }
    visit(place);
    labels.remove_prefix(Size(length));
    at += block.RowBytes(count);
  }
  return ConvertedAligned(at) == bytes.size() && labels.empty();
}

}  // namespace slackline::internal
