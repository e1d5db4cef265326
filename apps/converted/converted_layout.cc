// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/converted/converted_layout.h>

#include <cstddef>

#include <slackline/core/atomic_file.h>

namespace slackline::internal {

std::string_view ConvertedHeader::bytes() const {
  return {reinterpret_cast<const char*>(this), sizeof(ConvertedHeader)};
}

std::uint32_t ConvertedHeader::CorrectChecksum() const {
  return Crc32(bytes().substr(0, offsetof(ConvertedHeader, checksum)));
}

}  // namespace slackline::internal
