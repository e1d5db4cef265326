// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/token_pattern.h>

#include <algorithm>
#include <string>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {
namespace {

constexpr std::uint32_t kNotUtf8 = 0x110000;  // + a byte: larger than every character
constexpr std::uint32_t kLastCharacter = kNotUtf8 - 1;

struct Character {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
};

/// The first character of a non-empty text.
Character Decode(std::string_view text) {
  const auto byte = [&](std::size_t k) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k]));
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {kNotUtf8 + lead, 1};
  std::uint32_t value = lead & (0xFFu >> (bytes + 1));
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return {kNotUtf8 + lead, 1};
    value = value << 6 | (byte(k) & 0x3F);
  }
  constexpr std::uint32_t kLeast[] = {0x80, 0x800, 0x10000};  // smallest code point by length
  if (value < kLeast[bytes - 2] || value > kLastCharacter) return {kNotUtf8 + lead, 1};
  return {value, bytes};
}

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

bool TokenPattern::CharacterSet::Contains(std::uint32_t character) const {
  if (character < 128) return (ascii[character / 64] >> (character % 64) & 1) != negated;
  const bool listed = std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
    return range.first <= character && character <= range.second;
  });
  return listed != negated;
}

void TokenPattern::CharacterSet::Add(std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t c = first; c <= last && c < 128; ++c)
    ascii[c / 64] |= std::uint64_t{1} << (c % 64);
  if (last >= 128) ranges.emplace_back(first, last);
}

/// A recursive-descent compiler. The states of a subexpression are contiguous and have relative
/// jumps, so it can be moved to make room for a state before it.
class TokenPattern::Compiler {
 public:
  Compiler(std::string_view expression, TokenPattern* out) : rest_(expression), out_(*out) {}

  void Run() {
    if (rest_.empty()) throw DataError("the regular expression is empty");
    if (rest_.size() > kLongestPattern) {
      throw DataError("the regular expression is longer than " + std::to_string(kLongestPattern) +
                      " bytes");
    }
    Alternatives();
    if (!rest_.empty()) throw DataError("')' without a '(' before " + Quoted(rest_));
    Append({Action::kAccept});
  }

 private:
  bool Next(char c) const { return !rest_.empty() && rest_[0] == c; }
  bool Accept(char c) {
    if (!Next(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::int32_t size() const { return static_cast<std::int32_t>(out_.states_.size()); }
  void Append(const State& state) { out_.states_.push_back(state); }
  void InsertSplit(std::int32_t at, std::int32_t jump) {
    out_.states_.insert(out_.states_.begin() + at, {Action::kSplit, 0, jump});
  }
  void AppendSet(CharacterSet set) {
    Append({Action::kSet, static_cast<std::uint32_t>(out_.sets_.size())});
    out_.sets_.push_back(std::move(set));
  }

  void Alternatives();
  void Sequence();
  void Repeat(std::int32_t begin);
  /// Returns whether a repetition may follow.
  bool Atom();
  void Group();
  void Class();
  std::uint32_t ClassCharacter(CharacterSet* set, bool* is_class);
  /// After a backslash: adds a class of characters to *set, or returns a character.
  std::optional<std::uint32_t> Escape(CharacterSet* set);

  std::string_view rest_;
  TokenPattern& out_;
};

void TokenPattern::Compiler::Alternatives() {
  std::vector<std::int32_t> jumps;  // from the end of each alternative to behind the last one
  for (;;) {
    const std::int32_t begin = size();
    Sequence();
    if (!Accept('|')) break;
    InsertSplit(begin, size() - begin + 2);
    jumps.push_back(size());
    Append({Action::kJump});
  }
  for (const std::int32_t at : jumps) out_.states_[at].jump = size() - at;
}

void TokenPattern::Compiler::Sequence() {
  while (!rest_.empty() && !Next('|') && !Next(')')) {
    const std::int32_t begin = size();
    const bool repeatable = Atom();
    if (!Next('*') && !Next('+') && !Next('?')) continue;
    if (!repeatable) throw DataError("there is nothing to repeat before " + Quoted(rest_));
    Repeat(begin);
    if (Next('*') || Next('+') || Next('?'))
      throw DataError("a repetition is repeated at " + Quoted(rest_) + ": put it into ( )");
  }
}

void TokenPattern::Compiler::Repeat(std::int32_t begin) {
  const std::int32_t length = size() - begin;
  if (Accept('+')) return Append({Action::kSplit, 0, -length});
  const bool once = Accept('?');
  if (!once) Accept('*');
  InsertSplit(begin, length + (once ? 1 : 2));
  if (!once) Append({Action::kJump, 0, -length - 1});
}

bool TokenPattern::Compiler::Atom() {
  if (Next('*') || Next('+') || Next('?')) return false;
  if (Next('{')) {
    throw DataError("counts of repetitions are not supported at " + Quoted(rest_) +
                    "; a brace itself is \\{");
  }
  if (Accept('^')) return Append({Action::kBegin}), false;
  if (Accept('$')) return Append({Action::kEnd}), false;
  if (Accept('(')) {
    Group();
  } else if (Accept('[')) {
    Class();
  } else if (Accept('.')) {
    Append({Action::kAny});
  } else if (Accept('\\')) {
    CharacterSet set;
    const auto character = Escape(&set);
    if (character) {
      Append({Action::kCharacter, *character});
    } else {
      AppendSet(std::move(set));
    }
  } else {
    const Character character = Decode(rest_);
    rest_.remove_prefix(character.bytes);
    Append({Action::kCharacter, character.value});
  }
  return true;
}

void TokenPattern::Compiler::Group() {
  const std::string_view from = rest_;
  Alternatives();
  if (!Accept(')')) throw DataError("no ')' after " + Quoted("(" + std::string(from)));
}

void TokenPattern::Compiler::Class() {
  const std::string whole = "[" + std::string(rest_);
  CharacterSet set;
  set.negated = Accept('^');
  bool any = false;
  while (!Next(']')) {
    if (rest_.empty()) throw DataError("no ']' after " + Quoted(whole));
    if (rest_.starts_with("[:"))
      throw DataError("classes such as [:alpha:] are not supported in " + Quoted(whole));
    any = true;
    bool is_class = false;
    const std::uint32_t first = ClassCharacter(&set, &is_class);
    if (!Next('-') || rest_.size() < 2 || rest_[1] == ']') {
      if (!is_class) set.Add(first, first);
      continue;
    }
    Accept('-');
    const std::uint32_t last = rest_[0] == '[' ? 0 : ClassCharacter(&set, &is_class);
    if (is_class || last < first) throw DataError("a range without characters in " + Quoted(whole));
    set.Add(first, last);
  }
  Accept(']');
  if (!any) throw DataError("no characters between '[' and ']' in " + Quoted(whole));
  AppendSet(std::move(set));
}

std::uint32_t TokenPattern::Compiler::ClassCharacter(CharacterSet* set, bool* is_class) {
  if (Accept('\\')) {
    const auto character = Escape(set);
    if (!character) *is_class = true;
    return character.value_or(0);
  }
  const Character character = Decode(rest_);
  rest_.remove_prefix(character.bytes);
  return character.value;
}

std::optional<std::uint32_t> TokenPattern::Compiler::Escape(CharacterSet* set) {
  if (rest_.empty()) throw DataError("nothing after the last '\\'");
  const char letter = rest_[0];
  if (!IsLetterOrDigit(letter)) {
    const Character character = Decode(rest_);
    rest_.remove_prefix(character.bytes);
    return character.value;
  }
  rest_.remove_prefix(1);
  const bool negated = letter >= 'A' && letter <= 'Z';
  const char kind = negated ? static_cast<char>(letter - 'A' + 'a') : letter;
  if (std::string_view("dalwusp").find(kind) == std::string_view::npos)
    throw DataError(Quoted(std::string("\\") + letter) +
                    " is not one of \\d \\a \\l \\u \\w \\s \\p");
  const auto is = [&](char c) {
    const bool digit = c >= '0' && c <= '9';
    const bool small = c >= 'a' && c <= 'z';
    const bool capital = c >= 'A' && c <= 'Z';
    switch (kind) {
      case 'd':
        return digit;
      case 'l':
        return small;
      case 'u':
        return capital;
      case 'a':
        return small || capital;
      case 'w':
        return small || capital || digit;
      case 's':
        return c == ' ' || (c >= '\t' && c <= '\r');
      default:
        return c > ' ' && c < '\x7f' && !small && !capital && !digit;
    }
  };
  for (std::uint32_t c = 0; c < 128; ++c) {
    if (is(static_cast<char>(c)) != negated) set->Add(c, c);
  }
  if (negated) set->Add(128, kNotUtf8 + 255);
  return std::nullopt;
}

TokenPattern::TokenPattern(std::string_view expression) { Compiler(expression, this).Run(); }

/// The work space of one search. Each thread keeps one, since allocation would take most of the
/// time on short tokens.
class TokenPattern::Search {
 public:
  std::optional<Match> Run(const TokenPattern& pattern, std::string_view text, bool any_match);

 private:
  /// A state and the position in the text where its match begins. Lists are in ascending order of
  /// this position.
  struct Thread {
    std::size_t state;
    std::size_t begin;
  };
  void Enter(const TokenPattern& pattern, Thread thread);
  void Step(const TokenPattern& pattern, std::uint32_t character);

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<Thread> current_, next_;
  std::vector<std::size_t> stack_;
  std::vector<std::uint64_t> entered_;  // by state: the time of its last entry
  std::uint64_t time_ = 0;              // increases at every position of every search
  std::optional<Match> best_;
};

/// Adds to next_ all states reachable without reading a character. The first way into a state
/// counts, because its match begins earliest.
void TokenPattern::Search::Enter(const TokenPattern& pattern, Thread thread) {
  stack_.assign(1, thread.state);
  while (!stack_.empty()) {
    const std::size_t at = stack_.back();
    stack_.pop_back();
    if (entered_[at] == time_) continue;
    entered_[at] = time_;
    const State& state = pattern.states_[at];
    const std::size_t other = at + state.jump;
    switch (state.action) {
      case Action::kSplit:
        stack_.push_back(other);
        stack_.push_back(at + 1);
        break;
      case Action::kJump:
        stack_.push_back(other);
        break;
      case Action::kBegin:
        if (position_ == 0) stack_.push_back(at + 1);
        break;
      case Action::kEnd:
        if (position_ == text_.size()) stack_.push_back(at + 1);
        break;
      case Action::kAccept:
        if (!best_ || thread.begin <= best_->begin)
          best_ = {thread.begin, position_ - thread.begin};
        break;
      default:
        next_.push_back({at, thread.begin});
    }
  }
}

/// Moves the threads of current_ over a character; position_ is already behind the character.
void TokenPattern::Search::Step(const TokenPattern& pattern, std::uint32_t character) {
  for (const Thread& thread : current_) {
    if (best_ && thread.begin > best_->begin) return;
    const State& state = pattern.states_[thread.state];
    const bool taken =
        state.action == Action::kAny ||
        (state.action == Action::kCharacter ? state.character == character
                                            : pattern.sets_[state.character].Contains(character));
    if (taken) Enter(pattern, {thread.state + 1, thread.begin});
  }
}

std::optional<TokenPattern::Match> TokenPattern::Search::Run(const TokenPattern& pattern,
                                                             std::string_view text,
                                                             bool any_match) {
  text_ = text;
  position_ = 0;
  best_.reset();
  next_.clear();
  if (entered_.size() < pattern.states_.size()) entered_.resize(pattern.states_.size(), 0);
  ++time_;
  for (;;) {
    // The live threads are in next_. A match that begins here comes after them.
    if (!best_) Enter(pattern, {0, position_});
    if (position_ == text.size() || (best_ && (any_match || next_.empty()))) return best_;
    const Character character = Decode(text.substr(position_));
    current_.swap(next_);
    next_.clear();
    position_ += character.bytes;
    ++time_;
    Step(pattern, character.value);
  }
}

TokenPattern::Search& TokenPattern::ThreadSearch() {
  thread_local Search search;
  return search;
}

std::optional<TokenPattern::Match> TokenPattern::Find(std::string_view text) const {
  return ThreadSearch().Run(*this, text, false);
}

bool TokenPattern::Matches(std::string_view text) const {
  return ThreadSearch().Run(*this, text, true).has_value();
}

}  // namespace slackline::internal
