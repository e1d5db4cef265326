// SPDX-License-Identifier: BSD-3-Clause
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/split.h>

using namespace slackline::internal;

using Pieces = std::vector<std::string>;

TEST_CASE("text is cut at every separator") {
  CHECK(Split("a", ',') == Pieces{"a"});
  CHECK(Split("a,bc,d", ',') == Pieces{"a", "bc", "d"});
  CHECK(Split("a,b:c", ':') == Pieces{"a,b", "c"});
  CHECK(Split(" a, b ", ',') == Pieces{" a", " b "});
}

TEST_CASE("empty pieces are kept") {
  CHECK(Split("", ',') == Pieces{""});
  CHECK(Split(",", ',') == Pieces{"", ""});
  CHECK(Split("a,,b,", ',') == Pieces{"a", "", "b", ""});
}

TEST_CASE("fields are separated by blanks and never empty") {
  std::vector<std::string_view> fields = {"old"};
  SplitAtBlanks("  a\tbc  d ", &fields);
  CHECK(fields == std::vector<std::string_view>{"a", "bc", "d"});
  SplitAtBlanks(" \t ", &fields);
  CHECK(fields.empty());
}

TEST_CASE("text is trimmed only at its ends") {
  CHECK(Trimmed(" \ta b\t ") == "a b");
  CHECK(Trimmed("\t ").empty());
  CHECK(Trimmed("").empty());
}
