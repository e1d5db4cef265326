// SPDX-License-Identifier: BSD-3-Clause
//
// Reads contents of the pages of `slackline report`.
#pragma once

#include <cstddef>
#include <string>

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace slackline::internal::test {

/// The data inside a page.
inline nlohmann::ordered_json DataOf(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"runs\">";
  const std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + begin.size();
  return nlohmann::ordered_json::parse(page.substr(from, page.find("</script>", from) - from));
}

inline std::size_t CountOf(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

}  // namespace slackline::internal::test
