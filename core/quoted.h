// SPDX-License-Identifier: BSD-3-Clause
//
// Pieces of input in messages.
#pragma once

#include <string>
#include <string_view>

namespace slackline::internal {

/// The text with control characters, and bytes that are not UTF-8, written as \xNN.
std::string Printable(std::string_view text);

/// A piece of input for a message: printable, in quotes, cut off after 60 bytes (never inside a
/// character).
std::string Quoted(std::string_view token);

}  // namespace slackline::internal
