// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/feature_template.h>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include <slackline/apps/common/string_table.h>
#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

constexpr Index kFarthestRow = 1000;

/// Whether the name is B, B0, B01, …
bool NamesPairsOfLabels(std::string_view name) {
  return !name.empty() && name[0] == 'B' &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

bool BeginsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// The kind of the character whose first byte is c, as a character.
char ShapeOf(char c) {
  if (c >= 'A' && c <= 'Z') return 'X';
  if (c >= 'a' && c <= 'z') return 'x';
  if (c >= '0' && c <= '9') return 'd';
  return static_cast<unsigned char>(c) < 0x80 ? c : '*';
}

void AppendLow(std::string_view word, std::string* out) {
  for (const char c : word)
    out->push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
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
  Parser(std::string source, Index num_columns)
      : source_(std::move(source)), num_columns_(num_columns) {}

  void ParseLine(std::string_view line, long number);
  FeatureTemplates Finish();

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(source_, line_, message);
  }
  struct Brackets {
    std::size_t close = std::string_view::npos;
    std::vector<std::size_t> commas;
  };
  static Brackets FindBrackets(std::string_view text);
  /// Reads the macro at the start of *text and removes it from there.
  Piece ParseMacro(std::string_view* text) const;
  Piece MakePiece(Kind kind, std::string_view macro,
                  std::span<const std::string_view> arguments) const;
  std::shared_ptr<const TokenPattern> ParsePattern(std::string_view argument,
                                                   std::string_view macro) const;
  void CheckPlace(const Piece& piece, std::string_view macro) const;
  Index ParseArgument(std::string_view argument, std::string_view macro) const;

  std::string source_;
  Index num_columns_;
  long line_ = 0;
  StringTable names_;
  FeatureTemplates result_;
};

Index FeatureTemplates::Parser::ParseArgument(std::string_view argument,
                                              std::string_view macro) const {
  argument = Trimmed(argument);
  const bool plus = argument.size() > 1 && argument[0] == '+' && argument[1] != '-';
  if (plus) argument.remove_prefix(1);
  Index value = 0;
  const std::from_chars_result result =
      std::from_chars(argument.data(), argument.data() + argument.size(), value);
  if (result.ec != std::errc() || result.ptr != argument.data() + argument.size())
    Fail(Quoted(argument) + " in " + Quoted(macro) + " is not a whole number");
  return value;
}

/// The position of the ] that ends a macro, and those of the commas before it, all outside quotes.
FeatureTemplates::Parser::Brackets FeatureTemplates::Parser::FindBrackets(std::string_view text) {
  Brackets brackets;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '"') quoted = !quoted;
    if (quoted && text[k] == '\\') ++k;
    if (quoted) continue;
    if (text[k] == ',') brackets.commas.push_back(k);
    if (text[k] != ']') continue;
    brackets.close = k;
    break;
  }
  return brackets;
}

std::shared_ptr<const TokenPattern> FeatureTemplates::Parser::ParsePattern(
    std::string_view argument, std::string_view macro) const {
  if (argument.size() < 2 || argument.front() != '"' || argument.back() != '"')
    Fail(Quoted(macro) + ": the regular expression is not in quotes: " + Quoted(argument));
  try {
    return std::make_shared<const TokenPattern>(argument.substr(1, argument.size() - 2));
  } catch (const DataError& error) {
    Fail(Quoted(macro) + ": " + error.what());
  }
}

void FeatureTemplates::Parser::CheckPlace(const Piece& piece, std::string_view macro) const {
  if (piece.row < -kFarthestRow || piece.row > kFarthestRow)
    Fail(Quoted(macro) + ": rows beyond ±" + std::to_string(kFarthestRow) + " are not possible");
  if (piece.column >= 0 && piece.column < num_columns_) return;
  Fail(Quoted(macro) + ": there is no column " + std::to_string(piece.column) +
       "; without the labels the data have " + std::to_string(num_columns_) + ", numbered from 0");
}

FeatureTemplates::Piece FeatureTemplates::Parser::ParseMacro(std::string_view* text) const {
  constexpr std::pair<std::string_view, Kind> kMacros[] = {
      {"%x", Kind::kWord},      {"%low", Kind::kLow},    {"%X", Kind::kLow},
      {"%shape", Kind::kShape}, {"%pre", Kind::kPrefix}, {"%suf", Kind::kSuffix},
      {"%t", Kind::kTest},      {"%T", Kind::kTest},     {"%m", Kind::kMatch},
      {"%M", Kind::kMatchLow}};
  const std::size_t open = text->find('[');
  const std::string_view name = text->substr(0, std::min(open, text->find_first_of(" \t")));
  const auto* found = std::find_if(std::begin(kMacros), std::end(kMacros),
                                   [name](const auto& macro) { return macro.first == name; });
  if (found == std::end(kMacros) || open == std::string_view::npos || open != name.size())
    Fail(Quoted(*text) + " does not begin with %x[, %low[, %shape[, %pre[, %suf[, %t[ or %m[");
  const Brackets brackets = FindBrackets(*text);
  if (brackets.close == std::string_view::npos) Fail("no ] after " + Quoted(*text));
  const std::string_view macro = text->substr(0, brackets.close + 1);
  std::vector<std::string_view> arguments;
  std::size_t from = open + 1;
  for (const std::size_t comma : brackets.commas) {
    arguments.push_back(text->substr(from, comma - from));
    from = comma + 1;
  }
  arguments.push_back(text->substr(from, brackets.close - from));
  text->remove_prefix(macro.size());
  return MakePiece(found->second, macro, arguments);
}

FeatureTemplates::Piece FeatureTemplates::Parser::MakePiece(
    Kind kind, std::string_view macro, std::span<const std::string_view> arguments) const {
  const bool counted = kind == Kind::kPrefix || kind == Kind::kSuffix;
  const bool matching = kind == Kind::kTest || kind == Kind::kMatch || kind == Kind::kMatchLow;
  Piece piece;
  piece.kind = kind;
  piece.row = ParseArgument(arguments[0], macro);
  if (arguments.size() > 1) piece.column = ParseArgument(arguments[1], macro);
  if (arguments.size() != (counted || matching ? 3u : 2u)) {
    Fail(Quoted(macro) + ": expected " + std::string(macro.substr(0, macro.find('['))) +
         (counted    ? "[row,column,n]"
          : matching ? "[row,column,\"re\"]"
                     : "[row,column]"));
  }
  CheckPlace(piece, macro);
  if (matching) piece.pattern = ParsePattern(Trimmed(arguments[2]), macro);
  if (counted) piece.length = ParseArgument(arguments[2], macro);
  if (counted && piece.length < 1) Fail(Quoted(macro) + ": n must be at least 1");
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
    if (text.empty()) return;  // transitions, which every model has
    Fail("template " + Quoted(name) +
         ": a name of B and digits stands for features of pairs of labels, which do not depend on "
         "the tokens here; B alone is allowed");
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
    Fail("template " + Quoted(name) +
         " has no macro: it would be a constant, which models have anyway");
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

void FeatureTemplates::Expand(Index i, const TokenTable& tokens, Offset begin, Offset end,
                              Offset token, std::string* feature) const {
  feature->clear();
  for (const Piece& piece : templates_[i]) {
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
    Append(piece, tokens.text(at, piece.column), feature);
  }
}

void FeatureTemplates::Append(const Piece& piece, std::string_view word, std::string* feature) {
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
    case Kind::kTest:
      feature->append(piece.pattern->Matches(word) ? "true" : "false");
      break;
    case Kind::kMatch:
    case Kind::kMatchLow:
      if (const auto match = piece.pattern->Find(word)) {
        const std::string_view part = word.substr(match->begin, match->length);
        piece.kind == Kind::kMatch ? void(feature->append(part)) : AppendLow(part, feature);
      }
      break;
  }
}

}  // namespace slackline::internal
