// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/token_pattern.h>

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <slackline/core/check.h>
#include <slackline/core/random.h>
#include <tests/core/temporary_folder.h>

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

/// The matched part, or "-" without a match.
std::string Part(const std::string& expression, const std::string& text) {
  const TokenPattern pattern(expression);
  const auto match = pattern.Find(text);
  CHECK(pattern.Matches(text) == match.has_value());
  return match ? "<" + text.substr(match->begin, match->length) + ">" : "-";
}

std::string RegexError(const std::string& expression) {
  return MessageOf<DataError>([&] { TokenPattern{expression}; });
}

/// An expression as a tree that finds matches by the definition.
struct Tree {
  enum class Kind { kCharacters, kBegin, kEnd, kSequence, kEither, kRepeat } kind = Kind::kSequence;
  std::string text;             // the expression
  std::string characters = {};  // kCharacters: one of these
  bool optional = false;        // kRepeat: whether zero times are allowed
  bool repeated = false;        // kRepeat: whether more than one time is allowed
  std::vector<Tree> parts = {};

  /// The places where a match that begins at one of the given places may end.
  std::set<std::size_t> Ends(const std::string& whole, const std::set<std::size_t>& begins) const {
    std::set<std::size_t> ends;
    switch (kind) {
      case Kind::kCharacters:
        for (const std::size_t at : begins) {
          if (at < whole.size() && Contains(characters, whole.substr(at, 1))) ends.insert(at + 1);
        }
        return ends;
      case Kind::kBegin:
        if (begins.count(0) > 0) ends.insert(0);
        return ends;
      case Kind::kEnd:
        if (begins.count(whole.size()) > 0) ends.insert(whole.size());
        return ends;
      case Kind::kSequence:
        ends = begins;
        for (const Tree& part : parts) ends = part.Ends(whole, ends);
        return ends;
      case Kind::kEither:
        for (const Tree& part : parts) ends.merge(part.Ends(whole, begins));
        return ends;
      case Kind::kRepeat:
        break;
    }
    ends = parts[0].Ends(whole, begins);
    for (std::size_t before = 0; repeated && before != ends.size();) {
      before = ends.size();
      ends.merge(parts[0].Ends(whole, ends));
    }
    if (optional) ends.insert(begins.begin(), begins.end());
    return ends;
  }
};

Tree RandomAtom(Random* random) {
  static const std::vector<std::pair<std::string, std::string>> kAtoms = {
      {"a", "a"},      {"b", "b"},   {"c", "c"},      {".", "abc1"},  {"[ab]", "ab"},
      {"[^a]", "bc1"}, {"\\d", "1"}, {"[b-c]", "bc"}, {"\\D", "abc"}, {"[\\da]", "1a"}};
  const auto& [text, characters] = kAtoms[random->Below(kAtoms.size())];
  return {Tree::Kind::kCharacters, text, characters};
}

Tree RandomTree(Random* random, int depth) {
  Tree tree;
  if (random->Below(6) == 0) tree.parts.push_back({Tree::Kind::kBegin, "^"});
  for (std::uint64_t k = random->Below(3) + 1; k > 0; --k) {
    Tree part = RandomAtom(random);
    if (depth < 3 && random->Below(3) == 0) {
      part = RandomTree(random, depth + 1);
      if (random->Below(2) == 0) {
        const Tree other = random->Below(4) == 0 ? Tree() : RandomTree(random, depth + 1);
        part = {Tree::Kind::kEither, part.text + "|" + other.text, "", false, false, {part, other}};
      }
      part.text = "(" + part.text + ")";
    }
    const std::uint64_t repetition = random->Below(6);
    if (repetition < 3) {
      const std::string text = part.text + "*+?"[repetition];
      part = {Tree::Kind::kRepeat, text, "", repetition != 1, repetition != 2, {part}};
    }
    tree.parts.push_back(part);
  }
  if (random->Below(6) == 0) tree.parts.push_back({Tree::Kind::kEnd, "$"});
  for (const Tree& part : tree.parts) tree.text += part.text;
  return tree;
}

}  // namespace

TEST_CASE("random expressions match according to their definition") {
  Random random(7);
  int matched = 0;
  int longer = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Tree tree = RandomTree(&random, 0);
    const TokenPattern pattern(tree.text);
    for (int k = 0; k < 8; ++k) {
      std::string text;
      for (std::uint64_t n = random.Below(8); n > 0; --n) text += "abc1"[random.Below(4)];
      CAPTURE(tree.text);
      CAPTURE(text);
      std::set<std::size_t> ends;
      std::size_t begin = 0;
      for (; begin <= text.size() && ends.empty(); ++begin) ends = tree.Ends(text, {begin});
      const auto match = pattern.Find(text);
      REQUIRE(match.has_value() == !ends.empty());
      REQUIRE(pattern.Matches(text) == !ends.empty());
      if (!match) continue;
      REQUIRE(match->begin == begin - 1);
      REQUIRE(match->begin + match->length == *ends.rbegin());
      ++matched;
      longer += match->length > 1 ? 1 : 0;
    }
  }
  CHECK(matched > 5000);
  CHECK(longer > 2000);
}

TEST_CASE("the longest of the leftmost matches is found") {
  CHECK(Part("a|ab", "xab") == "<ab>");
  CHECK(Part("b|abc|ab", "xabd") == "<ab>");
  CHECK(Part("\\d+", "a12b345") == "<12>");
  CHECK(Part("x*", "ax") == "<>");
  CHECK(Part("(a|ab)(c|bcd)", "abcd") == "<abcd>");
  CHECK(Part("(a*)*", "aab") == "<aa>");
  CHECK(Part("()*a", "ba") == "<a>");
}

TEST_CASE("anchors match only the ends of the text") {
  CHECK(Part("^a", "ba") == "-");
  CHECK(Part("a$", "ab") == "-");
  CHECK(Part("^$", "") == "<>");
  CHECK(Part("^$", "a") == "-");
  CHECK(Part("(^|-)b", "a-b") == "<-b>");
  CHECK(Part("a^b", "ab") == "-");
  CHECK(Part("ing$|^un", "unending") == "<un>");
}

TEST_CASE("classes of characters are those of ASCII") {
  const std::string all = "aZ5_ -\t\xC3\xA4";
  CHECK(Part("\\d", all) == "<5>");
  CHECK(Part("\\u", all) == "<Z>");
  CHECK(Part("\\l\\u", all) == "<aZ>");
  CHECK(Part("\\a+", all) == "<aZ>");
  CHECK(Part("\\w+", all) == "<aZ5>");
  CHECK(Part("\\p", all) == "<_>");
  CHECK(Part("\\s\\p\\s", all) == "< -\t>");
  CHECK(Part("\\W+$", all) == "<_ -\t\xC3\xA4>");
  CHECK(Part("[^\\w\\s]+", all) == "<_>");
  CHECK(Part("[\\d_]+", all) == "<5_>");
  CHECK(Part("\\D+", all) == "<aZ>");
  CHECK(Part("[-a]+", "b-a") == "<-a>");
  CHECK(Part("[a-]+", "b-a") == "<-a>");
  CHECK(Part("[\\]^]+", "a]^") == "<]^>");
  CHECK(Part("[.*]", "a*") == "<*>");
  CHECK(Part("]}", "]}") == "<]}>");
  CHECK(Part("\\.\\\\\\\"\\{\\[", "a.\\\"{[") == "<.\\\"{[>");
}

TEST_CASE("characters of UTF-8 match as a whole, other bytes singly") {
  CHECK(Part("^.$", "\xE2\x82\xAC") == "<\xE2\x82\xAC>");
  CHECK(Part("^..$", "\xE2\x82") == "<\xE2\x82>");
  CHECK(Part("[\xC3\xA4-\xC3\xBC]", "a\xC3\xB6") == "<\xC3\xB6>");
  CHECK(Part("[^a]", "a\xC3\xB6") == "<\xC3\xB6>");
  CHECK(Part("\xC3\xB6+", "\xC3\xB6\xC3\xB6o") == "<\xC3\xB6\xC3\xB6>");
  CHECK(Part("[\xFF]", "a\xFF") == "<\xFF>");
  CHECK(Part("\\A", "\xFF") == "<\xFF>");
  // An overlong encoding in two bytes is not a character.
  CHECK(Part("a", "\xC1\xA1") == "-");
  CHECK(Part("^....$", "\xF4\xA0\x80\x80") == "<\xF4\xA0\x80\x80>");
}

TEST_CASE("expressions that make backtracking explode take linear time") {
  std::string expression;
  for (int k = 0; k < 60; ++k) expression += "a?";
  for (int k = 0; k < 60; ++k) expression += "a";
  const std::string text(60, 'a');
  CHECK(TokenPattern(expression).Matches(text));
  CHECK_FALSE(TokenPattern(expression + "b").Matches(text));
  const std::string long_text(200000, 'a');
  CHECK_FALSE(TokenPattern("(a*)*b").Matches(long_text));
  CHECK_FALSE(TokenPattern("(a|aa)+$b|(.*.*.*)*c").Matches(long_text));
  CHECK(TokenPattern("(x+x+)+y|a$").Find(long_text)->begin == 199999);
  // The deepest allowed expression.
  const std::string deep = std::string(499, '(') + "a" + std::string(499, ')');
  CHECK(TokenPattern(deep).Find("ba")->begin == 1);
}

TEST_CASE("unsupported syntax is refused, with its place") {
  CHECK(RegexError("") == "the regular expression is empty");
  CHECK(RegexError(std::string(1001, 'a')) == "the regular expression is longer than 1000 bytes");
  CHECK(RegexError("a(b") == "no ')' after '(b'");
  CHECK(RegexError("a)b") == "')' without a '(' before ')b'");
  CHECK(RegexError("*a") == "there is nothing to repeat before '*a'");
  CHECK(RegexError("a|+") == "there is nothing to repeat before '+'");
  CHECK(RegexError("^*") == "there is nothing to repeat before '*'");
  CHECK(RegexError("(?:a)") == "there is nothing to repeat before '?:a)'");
  CHECK(RegexError("a*?b") == "a repetition is repeated at '?b': put it into ( )");
  CHECK(RegexError("a{2}") ==
        "counts of repetitions are not supported at '{2}'; a brace itself is \\{");
  CHECK(RegexError("[ab") == "no ']' after '[ab'");
  CHECK(RegexError("[]a") == "no characters between '[' and ']' in '[]a'");
  CHECK(RegexError("[b-a]") == "a range without characters in '[b-a]'");
  CHECK(RegexError("[\\d-z]") == "a range without characters in '[\\d-z]'");
  CHECK(RegexError("[a-\\d]") == "a range without characters in '[a-\\d]'");
  CHECK(RegexError("[[:alpha:]]") ==
        "classes such as [:alpha:] are not supported in '[[:alpha:]]'");
  CHECK(RegexError("a\\") == "nothing after the last '\\'");
  CHECK(RegexError("\\bx") == "'\\b' is not one of \\d \\a \\l \\u \\w \\s \\p");
  CHECK(RegexError("\\1") == "'\\1' is not one of \\d \\a \\l \\u \\w \\s \\p");
}
