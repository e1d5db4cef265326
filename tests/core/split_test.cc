// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/split.h>

using namespace slackline;

using Pieces = std::vector<std::string>;

TEST_CASE("text is cut at every separator") {
  CHECK(Split("a", ',') == Pieces{"a"});
  CHECK(Split("a,bc,d", ',') == Pieces{"a", "bc", "d"});
  CHECK(Split("a,b:c", ':') == Pieces{"a,b", "c"});
  CHECK(Split(" a, b ", ',') == Pieces{" a", " b "});
}

TEST_CASE("empty pieces count") {
  CHECK(Split("", ',') == Pieces{""});
  CHECK(Split(",", ',') == Pieces{"", ""});
  CHECK(Split("a,,b,", ',') == Pieces{"a", "", "b", ""});
}
