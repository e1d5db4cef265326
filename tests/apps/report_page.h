// SPDX-License-Identifier: BSD-3-Clause
//
// The pages of `slackline report`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include <tests/apps/program.h>

namespace slackline::internal::test {

inline std::string PageOf(const Arguments& arguments) {
  const Outcome outcome = Succeed(Arguments{"report"} + arguments + Arguments{"-o", "-"});
  CHECK(outcome.err.empty());
  return outcome.out;
}

/// Checks that the files are refused, and that no page is written.
inline void CheckNoPage(const TemporaryFolder& folder, const Arguments& files,
                        const std::string& message) {
  const std::string out = folder.Path("page.html");
  CheckRefused(Arguments{"report"} + files + Arguments{"--out", out}, message);
  CHECK(!std::filesystem::exists(out));
}

/// The data inside a page.
inline Json DataOf(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"runs\">";
  const std::size_t at = page.find(begin);
  REQUIRE(at != std::string::npos);
  const std::size_t from = at + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

inline std::size_t CountOf(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

}  // namespace slackline::internal::test
