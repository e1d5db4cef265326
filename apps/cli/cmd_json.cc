// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cli/cmd_json.h>

#include <nlohmann/json.hpp>

namespace slackline::internal::program {

std::string JsonLine(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string JsonText(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace slackline::internal::program
