// SPDX-License-Identifier: BSD-3-Clause
//
// Regular expressions for tokens, matched in time linear in the text: the set of states of an
// automaton (Thompson, 1968) moves over the characters once. There is no backtracking, whatever the
// expression.
//
//   x            the character itself; . [ ( ) { | * + ? ^ $ \ " need a backslash before them
//   .            any character
//   [abc0-9_]    one of these characters and ranges; [^abc] any other. A - is itself at either end
//   \d \a \l \u  a digit, a letter, a small letter, a capital; \w a letter or a digit; \s a blank,
//                \p punctuation. All only in ASCII. Capitals (\D, …) stand for any other character.
//                Allowed inside [] too.
//   ^ $          the beginning and the end of the text
//   e* e+ e?     any number of e, at least one, at most one
//   ef  e|f (e)  e followed by f, either e or f, grouping
//
// Characters are those of UTF-8; a byte that is not valid UTF-8 is a character of its own. The
// parser rejects counts {2,3}, groups (?…), repetitions of repetitions a*?, classes [:alpha:] and a
// backslash before any other letter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace slackline::internal {

/// Immutable. Several threads may match at once.
class TokenPattern {
 public:
  /// Largest length in bytes. A text of n characters costs up to n times this number of steps.
  static constexpr std::size_t kLongestPattern = 1000;

  /// Throws DataError (without a place), which quotes the wrong part of the expression.
  explicit TokenPattern(std::string_view expression);

  /// A match in a text: offset and length in bytes.
  struct Match {
    std::size_t begin = 0;
    std::size_t length = 0;
  };
  /// The longest of the matches that begin first; nullopt if there is none.
  std::optional<Match> Find(std::string_view text) const;
  /// Whether the expression matches any part of the text.
  bool Matches(std::string_view text) const;

 private:
  class Compiler;
  class Search;
  static Search& ThreadSearch();

  /// A set of characters: bits for ASCII, ranges beyond it.
  struct CharacterSet {
    std::array<std::uint64_t, 2> ascii{};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    bool negated = false;

    bool Contains(std::uint32_t character) const;
    void Add(std::uint32_t first, std::uint32_t last);
  };
  enum class Action : std::uint8_t { kCharacter, kAny, kSet, kSplit, kJump, kBegin, kEnd, kAccept };
  /// One state of the automaton. The next state is the one after it, unless a jump says otherwise.
  struct State {
    Action action = Action::kAccept;
    std::uint32_t character = 0;  ///< or the index of a set
    std::int32_t jump = 0;        ///< kSplit, kJump: another next state, relative to this one
  };

  std::vector<State> states_;
  std::vector<CharacterSet> sets_;
};

}  // namespace slackline::internal
