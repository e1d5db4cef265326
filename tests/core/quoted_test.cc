// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <slackline/core/quoted.h>

using namespace slackline::internal;
using namespace std::string_literals;

TEST_CASE("control characters are written as escapes") {
  CHECK(Printable("plain text 'with' \\ signs") == "plain text 'with' \\ signs");
  CHECK(Printable("a\0b\x1b[31m\t\r\n\x7f"s) == "a\\x00b\\x1b[31m\\x09\\x0d\\x0a\\x7f");
  CHECK(Printable("\xc2\x9b") == "\\xc2\\x9b");  // the control character U+009B
}

TEST_CASE("UTF-8 is kept, and other bytes are written as escapes") {
  CHECK(Printable("é ≥ 𝄞") == "é ≥ 𝄞");
  CHECK(Printable("\xff\x80x\xc3") == "\\xff\\x80x\\xc3");
  CHECK(Printable("\xc0\xaf") == "\\xc0\\xaf");           // overlong
  CHECK(Printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  CHECK(Printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("long tokens are cut between characters") {
  CHECK(Quoted("") == "''");
  CHECK(Quoted(std::string(60, 'x')) == "'" + std::string(60, 'x') + "'");
  CHECK(Quoted(std::string(1000000, 'x')) == "'" + std::string(60, 'x') + "...'");
  CHECK(Quoted(std::string(59, 'x') + "é…") == "'" + std::string(59, 'x') + "...'");
  CHECK(Quoted(std::string(61, '\x80')).starts_with("'\\x80"));
}
