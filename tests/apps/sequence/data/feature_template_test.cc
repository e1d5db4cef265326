// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/feature_template.h>

#include <doctest/doctest.h>

#include <stdexcept>

#include <slackline/core/check.h>
#include <tests/apps/sequence/data/token_table.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// The features of one token of the table by all templates of a text.
std::vector<std::string> Expand(const std::string& text, const TokenTable& table, Offset begin,
                                Offset end, Offset token) {
  const FeatureTemplates templates = FeatureTemplates::Parse(text, "t.tpl", table.num_columns);
  std::vector<std::string> features(templates.size(), "old text");
  for (Index i = 0; i < templates.size(); ++i)
    templates.Expand(i, table, begin, end, token, &features[i]);
  return features;
}

/// The value of a macro for a sequence of this word alone.
std::string OfWord(const std::string& macro, const std::string& word) {
  const std::string feature = Expand("F: " + macro, Table({{word}}), 0, 1, 0).at(0);
  REQUIRE(feature.substr(0, 2) == "F:");
  return feature.substr(2);
}

std::string ParseError(const std::string& text) {
  return MessageOf<DataError>([&] { FeatureTemplates::Parse(text, "t.tpl", 2); });
}

using Features = std::vector<std::string>;

const TokenTable& Sentence() {
  static const TokenTable table =
      Table({{"He", "PRP"}, {"reads", "VBZ"}, {"books", "NNS"}, {"Yes", "UH"}});
  return table;
}

}  // namespace

TEST_CASE("macros are replaced by texts of the sequence") {
  CHECK(Expand("U05: %x[-1,0]/%x[0,0]\nU10:%x[+1,1]\n \tT-3:  a b %x[0,0] c%x[0,1]d \t\n",
               Sentence(), 0, 3, 1) == Features{"U05:He/reads", "U10:NNS", "T-3:a b reads cVBZd"});
}

TEST_CASE("beyond the ends of the sequence there are markers") {
  const std::string text =
      "A: %x[-2,0]|%x[-1,0]|%x[1,0]|%x[2,1]|%x[12,0]\nL: "
      "%low[-1,0]%shape[1,0]%pre[-3,0,1]%suf[2,0,1]";
  CHECK(Expand(text, Sentence(), 0, 3, 0) ==
        Features{"A:_B-2|_B-1|reads|NNS|_B+10", "L:_B-1x_B-3s"});
  CHECK(Expand(text, Sentence(), 0, 3, 2) ==
        Features{"A:He|reads|_B+1|_B+2|_B+12", "L:reads_B+1_B-1_B+2"});
  // A sequence of one token inside a table does not see the neighbouring tokens.
  CHECK(Expand(text, Sentence(), 1, 2, 1) ==
        Features{"A:_B-2|_B-1|_B+1|_B+2|_B+12", "L:_B-1_B+1_B-3_B+2"});
}

TEST_CASE("lower case touches ASCII letters only") {
  CHECK(OfWord("%low[0,0]", "McDonald-3Z[@") == "mcdonald-3z[@");
  CHECK(OfWord("%low[0,0]",
               "\xC3\x9C"
               "BER") ==
        "\xC3\x9C"
        "ber");
}

TEST_CASE("shapes replace runs of characters by their kind") {
  CHECK(OfWord("%shape[0,0]", "Xylophone") == "Xx");
  CHECK(OfWord("%shape[0,0]", "McDonald-3") == "XxXx-d");
  CHECK(OfWord("%shape[0,0]", "1,234.50") == "d,d.d");
  CHECK(OfWord("%shape[0,0]", "...") == ".");
  CHECK(OfWord("%shape[0,0]",
               "\xC3\xBC\xC3\xA4"
               "b\xE2\x82\xAC") == "*x*");
  CHECK(OfWord("%shape[0,0]", "AZaz09") == "Xxd");
}

TEST_CASE("prefixes and suffixes are cut between characters") {
  CHECK(OfWord("%pre[0,0,2]", "books") == "bo");
  CHECK(OfWord("%suf[0,0,2]", "books") == "ks");
  CHECK(OfWord("%pre[0,0,5]", "books") == "books");
  CHECK(OfWord("%pre[0,0,6]", "books") == "books");
  CHECK(OfWord("%suf[0,0,5]", "books") == "books");
  CHECK(OfWord("%suf[0,0,99]", "books") == "books");
  const std::string word =
      "\xC3\xBC"
      "b\xE2\x82\xAC";  // characters of two bytes, one and three
  CHECK(OfWord("%pre[0,0,1]", word) == "\xC3\xBC");
  CHECK(OfWord("%pre[0,0,2]", word) ==
        "\xC3\xBC"
        "b");
  CHECK(OfWord("%suf[0,0,1]", word) == "\xE2\x82\xAC");
  CHECK(OfWord("%suf[0,0,2]", word) == "b\xE2\x82\xAC");
  CHECK(OfWord("%suf[0,0,3]", word) == word);
  CHECK(OfWord("%suf[0,0,1]", "\x82\x82") == "\x82\x82");  // not UTF-8: no place to cut
}

TEST_CASE("comments, empty lines and transitions are not templates") {
  const FeatureTemplates templates =
      FeatureTemplates::Parse("# words\r\n\n  # more\nU00: %x[0,0]#x\n\nB\nB01\nB:\n", "t.tpl", 1);
  CHECK(templates.size() == 1);
  CHECK(templates.text() == "U00: %x[0,0]#x\n");
  CHECK(FeatureTemplates::Parse(templates.text(), "t.tpl", 1).text() == templates.text());
}

TEST_CASE("templates come from files with any line ends") {
  const TemporaryFolder folder;
  const FeatureTemplates templates =
      FeatureTemplates::Read(folder.Write("t.tpl", "U00: %x[0,0]\r\nU01: %x[0,1]"), 2);
  CHECK(templates.size() == 2);
  CHECK(templates.text() == "U00: %x[0,0]\nU01: %x[0,1]\n");
  const std::string bad = folder.Write("bad.tpl", "\nU00: %x[0,2]\r\n");
  CHECK(MessageOf<DataError>([&] { FeatureTemplates::Read(bad, 2); }) ==
        bad +
            ":2: '%x[0,2]': there is no column 2; without the labels the data have 2, numbered "
            "from 0");
}

TEST_CASE("errors in templates name line and token") {
  CHECK(ParseError("") == "t.tpl: no templates");
  CHECK(ParseError("#\nB\n") == "t.tpl: no templates");
  CHECK(ParseError("\nhello\n") == "t.tpl:2: expected NAME: text, found 'hello'");
  CHECK(ParseError("U 1: %x[0,0]") ==
        "t.tpl:1: the name before the colon, 'U 1', is empty or has blanks");
  CHECK(ParseError(": %x[0,0]") ==
        "t.tpl:1: the name before the colon, '', is empty or has blanks");
  CHECK(ParseError("U: %x[0,0]\nV: %x[0,0]\nU: %x[1,0]") == "t.tpl:3: a second template 'U'");
  CHECK(ParseError("U: hello") ==
        "t.tpl:1: template 'U' has no macro: it would be a constant, which models have anyway");
  for (const char* pairs : {"B: %x[0,0]", "B01:%x[-1,0]", "B7: text"}) {
    CAPTURE(pairs);
    CHECK(Contains(ParseError(pairs),
                   "a name of B and digits stands for features of pairs of labels"));
  }
  CHECK(FeatureTemplates::Parse("Before: %x[-1,0]", "t.tpl", 1).size() == 1);
}

TEST_CASE("bad macros are quoted") {
  const std::string known = " does not begin with %x[, %low[, %shape[, %pre[, %suf[, %t[ or %m[";
  CHECK(ParseError("U: a%y[0,0]b") == "t.tpl:1: '%y[0,0]b'" + known);
  CHECK(ParseError("U: 100%") == "t.tpl:1: '%'" + known);
  CHECK(ParseError("U: %x(0,0)") == "t.tpl:1: '%x(0,0)'" + known);
  CHECK(ParseError("U: %x [0,0]") == "t.tpl:1: '%x [0,0]'" + known);
  CHECK(ParseError("U: %x[0,0") == "t.tpl:1: no ] after '%x[0,0'");
  CHECK(ParseError("U: %x[0]") == "t.tpl:1: '%x[0]': expected %x[row,column]");
  CHECK(ParseError("U: %x[0,0,1]") == "t.tpl:1: '%x[0,0,1]': expected %x[row,column]");
  CHECK(ParseError("U: %suf[0,0]") == "t.tpl:1: '%suf[0,0]': expected %suf[row,column,n]");
  CHECK(ParseError("U: %x[]") == "t.tpl:1: '' in '%x[]' is not a whole number");
  CHECK(ParseError("U: %x[a,0]") == "t.tpl:1: 'a' in '%x[a,0]' is not a whole number");
  CHECK(ParseError("U: %x[0,0.5]") == "t.tpl:1: '0.5' in '%x[0,0.5]' is not a whole number");
  CHECK(ParseError("U: %x[+-1,0]") == "t.tpl:1: '+-1' in '%x[+-1,0]' is not a whole number");
  CHECK(ParseError("U: %x[0,-1]") ==
        "t.tpl:1: '%x[0,-1]': there is no column -1; without the labels the data have 2, numbered "
        "from 0");
  CHECK(ParseError("U: %x[1001,0]") == "t.tpl:1: '%x[1001,0]': rows beyond ±1000 are not possible");
  CHECK(ParseError("U: %x[-1001,0]") ==
        "t.tpl:1: '%x[-1001,0]': rows beyond ±1000 are not possible");
  CHECK(FeatureTemplates::Parse("U: %x[-1000,0]%x[1000,0]", "t.tpl", 1).size() == 1);
  CHECK(ParseError("U: %pre[0,0,0]") == "t.tpl:1: '%pre[0,0,0]': n must be at least 1");
}

TEST_CASE("regular expressions report whether they match, and the matched text") {
  CHECK(OfWord("%t[0,0,\"^[A-Z]\"]", "Paris") == "true");
  CHECK(OfWord("%t[0,0,\"^[A-Z]\"]", "paris") == "false");
  CHECK(OfWord("%T[ 0, 0, \"\\d\"]", "a1") == "true");
  CHECK(OfWord("%m[0,0,\"\\d+\"]", "B-747-400") == "747");
  CHECK(OfWord("%m[0,0,\"\\d+\"]", "none") == "");
  CHECK(OfWord("%m[0,0,\"[A-Z]+$\"]", "McDONALD") == "DONALD");
  CHECK(OfWord("%M[0,0,\"[A-Z]+$\"]", "McDONALD") == "donald");
  CHECK(OfWord("%X[0,0]", "McDonald") == "mcdonald");
  // Brackets, commas, quotes and percent signs in an expression do not end it.
  CHECK(OfWord("%m[0,0,\"[\\],%\\\"]+\"]|%x[0,0]", "a\",%]b") == "\",%]|a\",%]b");
  // Beyond the ends of the sequence there are markers, as for other macros.
  CHECK(Expand("A: %t[-1,0,\"x\"]%m[1,1,\"[A-Z]+\"]", Sentence(), 0, 3, 0) ==
        Features{"A:_B-1VBZ"});
  // The text that is written back is read as the same templates.
  const FeatureTemplates templates =
      FeatureTemplates::Parse("U: %t[0,0,\"a]\\\"b\"]x%m[0,1,\"(a|b)*\"]", "t.tpl", 2);
  CHECK(FeatureTemplates::Parse(templates.text(), "t.tpl", 2).text() == templates.text());
}

TEST_CASE("bad regular expressions are quoted with their macro") {
  CHECK(ParseError("\nU: %t[0,0]") == "t.tpl:2: '%t[0,0]': expected %t[row,column,\"re\"]");
  CHECK(ParseError("U: %m[0,0,abc]") ==
        "t.tpl:1: '%m[0,0,abc]': the regular expression is not in quotes: 'abc'");
  CHECK(ParseError("U: %m[0,0,\"]") == "t.tpl:1: no ] after '%m[0,0,\"]'");
  CHECK(ParseError("U: %t[0,2,\"a\"]") ==
        "t.tpl:1: '%t[0,2,\"a\"]': there is no column 2; without the labels the data have 2, "
        "numbered from 0");
  CHECK(ParseError("U: %t[0,0,\"(a\"]") == "t.tpl:1: '%t[0,0,\"(a\"]': no ')' after '(a'");
  CHECK(ParseError("U: %m[0,0,\"a{2}\"]") ==
        "t.tpl:1: '%m[0,0,\"a{2}\"]': counts of repetitions are not supported at '{2}'; a brace "
        "itself is \\{");
  CHECK(ParseError("U: %m[0,0,\"\"]") ==
        "t.tpl:1: '%m[0,0,\"\"]': the regular expression is empty");
}
