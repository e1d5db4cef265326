// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/core/feature_template.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>
#include <slackline/core/string_table.h>

namespace slackline {
namespace {

constexpr Index kFarthestRow = 1000;

/// B, B0, B01, …
bool NamesPairsOfLabels(std::string_view name) {
  return !name.empty() && name[0] == 'B' && name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

bool BeginsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// The kind of the character that begins with c, as a character.
char ShapeOf(char c) {
  if (c >= 'A' && c <= 'Z') return 'X';
  if (c >= 'a' && c <= 'z') return 'x';
  if (c >= '0' && c <= '9') return 'd';
  return static_cast<unsigned char>(c) < 0x80 ? c : '*';
}

void AppendLow(std::string_view word, std::string* out) {
  for (const char c : word) out->push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
}

void AppendShape(std::string_view word, std::string* out) {
  char last = '\0';
  for (const char c : word) {
    const char shape = ShapeOf(c);
    if (shape == last) continue;
    out->push_back(shape);
    last = shape;
  }
}

std::string_view Prefix(std::string_view word, Index characters) {
  for (std::size_t k = 0; k < word.size(); ++k) {
    if (BeginsCharacter(word[k]) && characters-- == 0) return word.substr(0, k);
  }
  return word;
}

std::string_view Suffix(std::string_view word, Index characters) {
  for (std::size_t k = word.size(); k > 0; --k) {
    if (BeginsCharacter(word[k - 1]) && --characters == 0) return word.substr(k - 1);
  }
  return word;
}

void AppendNumber(Offset number, std::string* out) {
  char digits[24];
  const std::to_chars_result result = std::to_chars(digits, digits + sizeof digits, number);
  out->append(digits, result.ptr);
}

}  // namespace

class FeatureTemplates::Parser {
 public:
  Parser(std::string source, Index num_columns) : source_(std::move(source)), num_columns_(num_columns) {}

  void ParseLine(std::string_view line, long number);
  FeatureTemplates Finish();

 private:
  [[noreturn]] void Fail(const std::string& message) const { throw DataError(source_, line_, message); }
  /// Reads the macro at the start of *text, and removes it there.
  Piece ParseMacro(std::string_view* text) const;
  Index ParseArgument(std::string_view argument, std::string_view macro) const;

  std::string source_;
  Index num_columns_;
  long line_ = 0;
  StringTable names_;
  FeatureTemplates result_;
};

Index FeatureTemplates::Parser::ParseArgument(std::string_view argument, std::string_view macro) const {
  const bool plus = argument.size() > 1 && argument[0] == '+' && argument[1] != '-';
  if (plus) argument.remove_prefix(1);
  Index value = 0;
  const std::from_chars_result result =
      std::from_chars(argument.data(), argument.data() + argument.size(), value);
  if (result.ec != std::errc() || result.ptr != argument.data() + argument.size())
    Fail(Quoted(argument) + " in " + Quoted(macro) + " is not a whole number");
  return value;
}

FeatureTemplates::Piece FeatureTemplates::Parser::ParseMacro(std::string_view* text) const {
  constexpr std::pair<std::string_view, Kind> kMacros[] = {{"%x", Kind::kWord},
                                                           {"%low", Kind::kLow},
                                                           {"%shape", Kind::kShape},
                                                           {"%pre", Kind::kPrefix},
                                                           {"%suf", Kind::kSuffix}};
  const std::size_t open = text->find('[');
  const std::size_t close = text->find(']');
  const std::string_view name = text->substr(0, std::min(open, text->find_first_of(" \t")));
  const auto* found = std::find_if(std::begin(kMacros), std::end(kMacros),
                                   [name](const auto& macro) { return macro.first == name; });
  if (found == std::end(kMacros) || open == std::string_view::npos || open != name.size())
    Fail(Quoted(*text) + " does not begin with %x[, %low[, %shape[, %pre[ or %suf[");
  if (close == std::string_view::npos) Fail("no ] after " + Quoted(*text));
  const std::string_view macro = text->substr(0, close + 1);
  std::vector<std::string_view> pieces;
  SplitViews(text->substr(open + 1, close - open - 1), ',', &pieces);
  std::vector<Index> arguments;
  for (const std::string_view argument : pieces) arguments.push_back(ParseArgument(argument, macro));
  Piece piece;
  piece.kind = found->second;
  const bool counted = piece.kind == Kind::kPrefix || piece.kind == Kind::kSuffix;
  if (arguments.size() != (counted ? 3u : 2u))
    Fail(Quoted(macro) + ": expected " + std::string(name) + (counted ? "[row,column,n]" : "[row,column]"));
  piece.row = arguments[0];
  piece.column = arguments[1];
  if (piece.row < -kFarthestRow || piece.row > kFarthestRow)
    Fail(Quoted(macro) + ": rows beyond ±" + std::to_string(kFarthestRow) + " are not possible");
  if (piece.column < 0 || piece.column >= num_columns_) {
    Fail(Quoted(macro) + ": there is no column " + std::to_string(piece.column) +
         "; without the labels the data have " + std::to_string(num_columns_) + ", numbered from 0");
  }
  if (counted) piece.length = arguments[2];
  if (counted && piece.length < 1) Fail(Quoted(macro) + ": n must be at least 1");
  text->remove_prefix(close + 1);
  return piece;
}

void FeatureTemplates::Parser::ParseLine(std::string_view line, long number) {
  line_ = number;
  line = Trimmed(line);
  if (line.empty() || line[0] == '#') return;
  const std::size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  std::string_view text = colon == std::string_view::npos ? "" : Trimmed(line.substr(colon + 1));
  if (NamesPairsOfLabels(name)) {
    if (text.empty()) return;  // the transitions, which models have anyway
    Fail("template " + Quoted(name) +
         ": a name of B and digits stands for features of pairs of labels, which do not depend on the "
         "tokens here; B alone is allowed");
  }
  if (colon == std::string_view::npos) Fail("expected NAME: text, found " + Quoted(line));
  if (name.empty() || name.find_first_of(" \t") != std::string_view::npos)
    Fail("the name before the colon, " + Quoted(name) + ", is empty or has blanks");
  if (names_.Find(name) != kAbsent) Fail("a second template " + Quoted(name));
  names_.Add(name);
  std::vector<Piece> pieces(1);
  pieces[0].text.append(name).append(":");
  while (!text.empty()) {
    if (text[0] == '%') {
      pieces.push_back(ParseMacro(&text));
      continue;
    }
    const std::size_t length = std::min(text.find('%'), text.size());
    if (pieces.back().kind != Kind::kText) pieces.emplace_back();
    pieces.back().text.append(text.substr(0, length));
    text.remove_prefix(length);
  }
  if (pieces.size() == 1)
    Fail("template " + Quoted(name) + " has no macro: it would be a constant, which models have anyway");
  result_.templates_.push_back(std::move(pieces));
  result_.text_.append(line).append("\n");
}

FeatureTemplates FeatureTemplates::Parser::Finish() {
  if (result_.templates_.empty()) throw DataError(source_, 0, "no templates");
  result_.num_columns_ = num_columns_;
  return std::move(result_);
}

FeatureTemplates FeatureTemplates::Read(const std::string& path, Index num_columns) {
  LineReader reader(path);
  Parser parser(reader.name(), num_columns);
  std::string_view line;
  while (reader.Next(&line)) parser.ParseLine(line, reader.line_number());
  return parser.Finish();
}

FeatureTemplates FeatureTemplates::Parse(std::string_view text, const std::string& source,
                                         Index num_columns) {
  Parser parser(source, num_columns);
  for (long number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    parser.ParseLine(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parser.Finish();
}

void FeatureTemplates::Expand(Index i, const TokenTable& tokens, Offset begin, Offset end, Offset token,
                              std::string* feature) const {
  feature->clear();
  for (const Piece& piece : templates_[static_cast<std::size_t>(i)]) {
    if (piece.kind == Kind::kText) {
      feature->append(piece.text);
      continue;
    }
    const Offset at = token + piece.row;
    if (at < begin) {
      feature->append("_B-");
      AppendNumber(begin - at, feature);
      continue;
    }
    if (at >= end) {
      feature->append("_B+");
      AppendNumber(at - end + 1, feature);
      continue;
    }
    const std::string_view word = tokens.text(at, piece.column);
    switch (piece.kind) {
      case Kind::kText:
      case Kind::kWord:
        feature->append(word);
        break;
      case Kind::kLow:
        AppendLow(word, feature);
        break;
      case Kind::kShape:
        AppendShape(word, feature);
        break;
      case Kind::kPrefix:
        feature->append(Prefix(word, piece.length));
        break;
      case Kind::kSuffix:
        feature->append(Suffix(word, piece.length));
        break;
    }
  }
}

std::string DefaultTemplates(Index num_columns) {
  SLACKLINE_CHECK(num_columns >= 1, "templates need a column");
  std::string text =
      "# Words\n"
      "U00: %x[-2,0]\n"
      "U01: %x[-1,0]\n"
      "U02: %x[0,0]\n"
      "U03: %x[1,0]\n"
      "U04: %x[2,0]\n"
      "U05: %x[-1,0]/%x[0,0]\n"
      "U06: %x[0,0]/%x[1,0]\n";
  if (num_columns == 1) {
    return text +
           "# Spelling\n"
           "U10: %low[0,0]\n"
           "U11: %shape[0,0]\n"
           "U12: %pre[0,0,1]\n"
           "U13: %pre[0,0,2]\n"
           "U14: %pre[0,0,3]\n"
           "U15: %suf[0,0,1]\n"
           "U16: %suf[0,0,2]\n"
           "U17: %suf[0,0,3]\n";
  }
  return text +
         "# Parts of speech\n"
         "U10: %x[-2,1]\n"
         "U11: %x[-1,1]\n"
         "U12: %x[0,1]\n"
         "U13: %x[1,1]\n"
         "U14: %x[2,1]\n"
         "U15: %x[-2,1]/%x[-1,1]\n"
         "U16: %x[-1,1]/%x[0,1]\n"
         "U17: %x[0,1]/%x[1,1]\n"
         "U18: %x[1,1]/%x[2,1]\n"
         "U20: %x[-2,1]/%x[-1,1]/%x[0,1]\n"
         "U21: %x[-1,1]/%x[0,1]/%x[1,1]\n"
         "U22: %x[0,1]/%x[1,1]/%x[2,1]\n";
}

}  // namespace slackline
