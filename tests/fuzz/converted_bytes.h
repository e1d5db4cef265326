// SPDX-License-Identifier: BSD-3-Clause
//
// Files of converted data (docs/reference/converted_file.md) with valid checksums.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include <slackline/apps/converted/converted_layout.h>
#include <slackline/core/atomic_file.h>
#include <slackline/core/check.h>
#include <slackline/core/model_file.h>

#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {

/// The bytes with checksums and lengths that match, as far as the directory can be read.
inline std::string SealedConversion(std::string_view input) {
  std::string bytes(input);
  ConvertedHeader header;
  if (bytes.size() < sizeof(header)) return bytes;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.length = bytes.size();
  header.checksum = header.CorrectChecksum();
  std::memcpy(bytes.data(), &header, sizeof(header));
  if (header.directory_begin < sizeof(header) || header.directory_begin > bytes.size())
    return bytes;
  const std::string directory =
      WithChecksum(std::string_view(bytes).substr(header.directory_begin));
  bytes.replace(header.directory_begin, std::string::npos, directory);
  try {
    const auto reader = ModelReader::FromBytes(directory, "directory", kConvertedDirectory);
    const auto numbers = reader.Integers("blocks");
    for (std::size_t k = 0; k + kNumbersPerBlock <= numbers.size(); k += kNumbersPerBlock) {
      const auto begin = static_cast<std::uint64_t>(numbers[k]);
      const auto length = static_cast<std::uint64_t>(numbers[k + 1]);
      if (begin > header.directory_begin || length > header.directory_begin - begin) continue;
      const auto sum = std::int64_t{Crc32(std::string_view(bytes).substr(begin, length))};
      // The numbers of the last entry end before the checksum.
      const std::size_t at = bytes.size() - 4 - 8 * (numbers.size() - k - kNumbersPerBlock + 1);
      std::memcpy(bytes.data() + at, &sum, sizeof(sum));
    }
  } catch (const DataError&) {
  }
  const std::string last = WithChecksum(std::string_view(bytes).substr(header.directory_begin));
  return bytes.replace(header.directory_begin, std::string::npos, last);
}

}  // namespace slackline::internal::fuzz
