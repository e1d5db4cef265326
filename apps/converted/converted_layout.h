// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a file of converted data (docs/reference/converted_file.md).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <slackline/core/model_file.h>
#include <slackline/core/types.h>

namespace slackline::internal {

inline constexpr std::string_view kConvertedMagic = "SLACKSET";
inline constexpr std::uint32_t kConvertedVersion = 2;
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

/// Consecutive examples in the file: the numbers of values of their rows, the labels of the rows
/// (equally many bytes each), and the rows. The rows of a block are all dense or all sparse.
struct ConvertedBlock {
  std::uint64_t begin = 0;  ///< in the file
  std::uint64_t bytes = 0;
  Index rows = 0;
  Index examples = 0;  ///< that begin, and end, in the block
  bool dense = false;
  std::uint32_t checksum = 0;

  std::uint64_t labels_begin() const { return ConvertedAligned(std::uint64_t{4} * Size(rows)); }
  std::uint64_t rows_begin(Index label_bytes) const {
    return labels_begin() + ConvertedAligned(std::uint64_t{Size(rows)} * Size(label_bytes));
  }
  std::uint64_t RowBytes(Index count) const {
    return 8 * Size(count) + (dense ? 0 : ConvertedAligned(4 * Size(count)));
  }
};
inline constexpr std::size_t kNumbersPerBlock = 6;  // in the directory

/// Calls visit(values, columns, count) for the rows of a block, whose bytes these are: the places
/// among them at which the values and the columns (dense: −1) begin. Returns false, before anything
/// is read beyond the block, when the numbers of values do not fit it.
template <class Visit>
bool ForEachConvertedRow(std::string_view bytes, const ConvertedBlock& block, Index label_bytes,
                         const Visit& visit) {
  std::uint64_t at = block.rows_begin(label_bytes);
  if (at > bytes.size()) return false;
  for (Index r = 0; r < block.rows; ++r) {
    std::int32_t count = 0;
    std::memcpy(&count, bytes.data() + std::size_t{4} * Size(r), sizeof(count));
    if (count < 0 || block.RowBytes(count) > bytes.size() - at) return false;
    visit(static_cast<Offset>(at), block.dense ? -1 : static_cast<Offset>(at + 8 * Size(count)),
          count);
    at += block.RowBytes(count);
  }
  return at == bytes.size();
}

}  // namespace slackline::internal
