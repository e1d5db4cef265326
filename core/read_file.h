// SPDX-License-Identifier: BSD-3-Clause
//
// Whole files in memory, of bounded length.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace slackline::internal {

/// The largest number of bytes that a file may have, given the bytes read so far. Called after
/// every read.
using LengthLimit = std::function<std::uint64_t(std::string_view bytes)>;

/// The bytes of a file, pipe or device. Reading stops at the end of the file, or soon after the
/// number of bytes exceeds `limit`, so that an endless file takes bounded memory; the caller must
/// compare. Throws DataError when the file is a directory or cannot be read, and what `limit`
/// throws.
std::string ReadFileUpTo(const std::string& path, const LengthLimit& limit);

/// The bytes of a file. Throws DataError as ReadFileUpTo does, and when the file is longer than
/// most_bytes.
std::string ReadFile(const std::string& path, std::uint64_t most_bytes);

}  // namespace slackline::internal
