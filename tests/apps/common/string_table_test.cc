// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/string_table.h>

#include <doctest/doctest.h>

#include <string>

using namespace slackline::internal;

TEST_CASE("the hash is the documented one on every machine") {
  CHECK(HashText("") == 0xefd01f60ba992926u);
  CHECK(HashText("a") == 0x82a2a958a9bece5bu);
  CHECK(HashText("foobar") == 0x2c22194922d1672bu);
  CHECK(HashText("U02:\xC3\xBC"
                 "ber") == 0x39d0c21dba897400u);  // bytes count as unsigned
}

TEST_CASE("numbers follow the order of first occurrence") {
  StringTable table;
  CHECK(table.size() == 0);
  CHECK(table.Find("a") == kAbsent);
  CHECK(table.Add("b") == 0);
  CHECK(table.Add("a") == 1);
  CHECK(table.Add("b") == 0);
  CHECK(table.size() == 2);
  CHECK(table.Find("a") == 1);
  CHECK(table.Find("c") == kAbsent);
  CHECK(table.text(0) == "b");
  CHECK(table.text(1) == "a");
}

TEST_CASE("any bytes are valid texts, the empty text included") {
  StringTable table;
  const std::string zeros("\0\0", 2);
  CHECK(table.Find("") == kAbsent);
  CHECK(table.Add(zeros) == 0);
  CHECK(table.Add("") == 1);
  CHECK(table.Add(zeros.substr(0, 1)) == 2);
  CHECK(table.Find("") == 1);
  CHECK(table.Find(zeros) == 0);
  CHECK(table.text(0) == zeros);
  CHECK(table.text(1).empty());
}

TEST_CASE("many texts keep their numbers while the table grows") {
  StringTable table;
  constexpr Index kCount = 20000;
  for (Index i = 0; i < kCount; ++i) REQUIRE(table.Add("text" + std::to_string(i)) == i);
  CHECK(table.size() == kCount);
  for (Index i = 0; i < kCount; ++i) {
    const std::string text = "text" + std::to_string(i);
    REQUIRE(table.Find(text) == i);
    REQUIRE(table.text(i) == text);
    REQUIRE(table.Find(text + "x") == kAbsent);
  }
}

TEST_CASE("texts with the same slot and the same half of a hash are distinguished") {
  const std::string a = "w7646";
  const std::string b = "w885886";
  REQUIRE((HashText(a) >> 32) == (HashText(b) >> 32));
  REQUIRE((HashText(a) & 63) == (HashText(b) & 63));
  StringTable table;
  CHECK(table.Add(a) == 0);
  CHECK(table.Find(b) == kAbsent);
  CHECK(table.Add(b) == 1);
  CHECK(table.Find(a) == 0);
}

TEST_CASE("a copy is independent of its table") {
  StringTable table;
  table.Add("a");
  StringTable copy = table;
  copy.Add("b");
  CHECK(table.Find("b") == kAbsent);
  CHECK(copy.Find("a") == 0);
}
