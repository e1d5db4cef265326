// SPDX-License-Identifier: BSD-3-Clause
//
// Regular expressions for tokens, in time that is linear in the text: a set of states of an
// automaton (Thompson, 1968) moves over the characters once, and nothing is tried twice, whatever
// the expression.
//
//   x            the character itself; . [ ( ) { | * + ? ^ $ \ " need a backslash before them
//   .            any character
//   [abc0-9_]    one of these characters and ranges; [^abc] any other. A - is itself at either end
//   \d \a \l \u  a digit, a letter, a small letter, a capital; \w a letter or a digit; \s a blank,
//                \p punctuation. All of ASCII. With a capital, \D, …: any other character. Also in
//                []
//   ^ $          the beginning and the end of the text
//   e* e+ e?     any number of e, at least one, at most one
//   ef  e|f (e)  e and then f, one of both, grouping
//
// Characters are those of UTF-8; a byte that is not UTF-8 is a character of its own. Refused are
// counts {2,3}, groups (?…), repetitions of repetitions a*?, classes [:alpha:] and other letters
// behind \.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace slackline::internal {

/// Immutable. Matching is safe from several threads.
class TokenPattern {
 public:
  /// In bytes. A text of n characters costs up to n times this many steps.
  static constexpr std::size_t kLongestPattern = 1000;

  /// Throws DataError, without a place, that quotes what is wrong in the expression.
  explicit TokenPattern(std::string_view expression);

  /// Where in a text the expression matches, in bytes.
  struct Match {
    std::size_t begin = 0;
    std::size_t length = 0;
  };
  /// Of the matches that begin first the longest; none where the expression does not match.
  std::optional<Match> Find(std::string_view text) const;
  /// Whether the expression matches a part of the text.
  bool Matches(std::string_view text) const;

 private:
  class Compiler;
  class Search;
  static Search& ThreadSearch();

  /// Characters, as bits for ASCII and as ranges beyond it.
  struct CharacterSet {
    std::array<std::uint64_t, 2> ascii{};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    bool negated = false;

    bool Contains(std::uint32_t character) const;
    void Add(std::uint32_t first, std::uint32_t last);
  };
  enum class Action : std::uint8_t { kCharacter, kAny, kSet, kSplit, kJump, kBegin, kEnd, kAccept };
  /// One state of the automaton; the next one follows it unless a jump says otherwise.
  struct State {
    Action action = Action::kAccept;
    std::uint32_t character = 0;  ///< or the number of a set
    std::int32_t jump = 0;        ///< kSplit, kJump: another next state, relative to this one
  };

  std::vector<State> states_;
  std::vector<CharacterSet> sets_;
};

}  // namespace slackline::internal
