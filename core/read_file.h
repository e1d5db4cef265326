// SPDX-License-Identifier: BSD-3-Clause
//
// Whole files in memory, of bounded length.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace slackline::internal {

/// How many bytes a file may have, judged by its first ones; called whenever more of them are
/// there.
using LengthLimit = std::function<std::uint64_t(std::string_view bytes)>;

/// The bytes of a file, pipe or device. Reading ends with the file, or soon after there are more
/// bytes than `limit` allows, so that an endless file costs bounded memory: the caller compares.
/// Throws DataError when the file is a directory or cannot be read, and what `limit` throws.
std::string ReadFileUpTo(const std::string& path, const LengthLimit& limit);

/// The bytes of a file. Throws DataError as above, and when there are more than most_bytes.
std::string ReadFile(const std::string& path, std::uint64_t most_bytes);

}  // namespace slackline::internal
