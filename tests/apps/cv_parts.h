// SPDX-License-Identifier: BSD-3-Clause
//
// Helpers of the tests of cross-validation.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/core/types.h>

namespace slackline::internal::test {

/// The result of `cv --json` without times.
inline nlohmann::json Timeless(nlohmann::json json) {
  for (nlohmann::json& entry : json["path"]) entry.erase("seconds");
  return json;
}

struct HeldOut {
  std::string inside, outside;  ///< texts of the examples
};
/// fold: numbers of examples, in rising order.
inline HeldOut SplitByFold(const std::vector<std::string>& examples,
                           const std::vector<Index>& fold) {
  HeldOut parts;
  for (std::size_t m = 0; m < examples.size(); ++m) {
    const bool held = std::binary_search(fold.begin(), fold.end(), static_cast<Index>(m));
    (held ? parts.inside : parts.outside) += examples[m] + "\n";
  }
  return parts;
}

}  // namespace slackline::internal::test
