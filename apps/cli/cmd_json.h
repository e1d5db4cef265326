// SPDX-License-Identifier: BSD-3-Clause
//
// The JSON that commands write. Part of the program only.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace slackline::internal::program {

/// JSON whose members keep the order in which they are added.
using Json = nlohmann::ordered_json;

/// The JSON as one line of text, or as several indented lines with a final line end. Bytes that are
/// not valid UTF-8 are replaced.
std::string JsonLine(const Json& json);
std::string JsonText(const Json& json);

}  // namespace slackline::internal::program
