// SPDX-License-Identifier: BSD-3-Clause
//
// The JSON that commands write. Part of the program only.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace slackline::internal::program {

/// Members keep the order in which they are added.
using Json = nlohmann::ordered_json;

/// The JSON as text of one line, or of several indented ones with a line end. Bytes that are not
/// UTF-8 are replaced.
std::string JsonLine(const Json& json);
std::string JsonText(const Json& json);

}  // namespace slackline::internal::program
