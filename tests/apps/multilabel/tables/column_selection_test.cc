// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/column_selection.h>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

using Columns = std::vector<Index>;

const std::vector<std::string> kHeadings = {"age", "tag_a", "a,b", "tag_b", "2", "x:y"};

Columns Select(const std::string& list) { return SelectColumns("--option", list, kHeadings); }

std::string ListError(const std::string& list) {
  return MessageOf<DataError>([&] { Select(list); });
}

}  // namespace

TEST_CASE("columns are selected by name, pattern, position and range, in the order of the table") {
  CHECK(Select("tag_b,age") == Columns{0, 3});
  CHECK(Select("\"a,b\"") == Columns{2});
  CHECK(Select("tag_*") == Columns{1, 3});
  CHECK(Select("*b") == Columns{2, 3});
  CHECK(Select("*") == Columns{0, 1, 2, 3, 4, 5});
  CHECK(Select("t*_*b,t*a") == Columns{1, 3});
  CHECK(Select("3") == Columns{2});
  CHECK(Select("-1") == Columns{5});
  CHECK(Select("3:5") == Columns{2, 3, 4});
  CHECK(Select("-2:") == Columns{4, 5});
  CHECK(Select(":3") == Columns{0, 1, 2});
  CHECK(Select("4:-2") == Columns{3, 4});
  CHECK(Select("tag_*,1:2,age") == Columns{0, 1, 3});
}

TEST_CASE("a name takes precedence over a position or a range") {
  CHECK(Select("2") == Columns{4});
  CHECK(Select("x:y") == Columns{5});
}

TEST_CASE("items that match no column are refused") {
  CHECK(ListError("tag_c") == "--option: there is no column 'tag_c'; did you mean 'tag_a'?");
  CHECK(ListError("1-3") ==
        "--option: there is no column '1-3'; a range of positions is written 1:3");
  CHECK(ListError("z*") == "--option: no column fits 'z*'");
  CHECK(ListError("7") ==
        "--option: '7' is out of range: there are 6 columns, numbered from 1 (from the right: from "
        "-1)");
  CHECK(Contains(ListError("0"), "'0' is out of range"));
  CHECK(Contains(ListError("-7:"), "'-7:' is out of range"));
  CHECK(Contains(ListError("5:3"), "'5:3' has no columns: its first column is after its last"));
  CHECK(ListError("age,,3") == "--option: an empty item in the list of columns");
  CHECK(ListError(":") == "--option: there is no column ':'");
  CHECK(Contains(ListError("\"age"), "--option: a closing quote is missing"));
  CHECK(Contains(ListError("99999999999"), "there is no column"));
}
