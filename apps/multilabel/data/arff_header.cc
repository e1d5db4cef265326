// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/arff_header.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {

bool ArffScanner::AtEnd() {
  while (position_ < text_.size() && IsBlank(text_[position_])) ++position_;
  return position_ == text_.size() || text_[position_] == '%';
}

bool ArffScanner::Accept(char c) {
  if (AtEnd() || Peek() != c) return false;
  ++position_;
  return true;
}

ArffScanner::Token ArffScanner::Next(std::string_view stops) {
  if (AtEnd()) return {};
  const char quote = Peek();
  if (quote != '\'' && quote != '"') {
    const std::size_t begin = position_;
    while (position_ < text_.size() && !IsBlank(text_[position_]) &&
           stops.find(text_[position_]) == std::string_view::npos) {
      ++position_;
    }
    return {text_.substr(begin, position_ - begin), false, true};
  }
  unescaped_.clear();
  for (++position_; position_ < text_.size() && text_[position_] != quote; ++position_) {
    if (text_[position_] == '\\' && position_ + 1 < text_.size()) {
      const char c = text_[++position_];
      unescaped_ += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
    } else {
      unescaped_ += text_[position_];
    }
  }
  const bool closed = position_ < text_.size();
  if (closed) ++position_;
  return {unescaped_, true, closed};
}

namespace {

class HeaderParser {
 public:
  explicit HeaderParser(const LineReader& reader) : reader_(reader) {
    header_.file = reader_.name();
  }

  /// Returns false at the line @data.
  bool ParseLine(std::string_view line) {
    ArffScanner scanner(line);
    if (scanner.AtEnd()) return true;
    if (scanner.Peek() != '@') {
      Fail("expected @attribute or @data, found " + Quoted(scanner.Rest()));
    }
    const ArffScanner::Token token = scanner.Next("");
    const std::string keyword = LowerCase(token.text);
    if (keyword == "@relation") {
      ParseRelation(scanner.Rest());
      return true;
    }
    if (keyword == "@attribute") {
      ParseAttribute(&scanner);
      return true;
    }
    if (keyword != "@data") Fail("unknown declaration " + Quoted(token.text));
    if (!scanner.AtEnd()) Fail("text after @data: " + Quoted(scanner.Rest()));
    if (header_.attributes.empty()) Fail("@data without any @attribute before it");
    return false;
  }

  ArffHeader Take() { return std::move(header_); }

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(reader_.name(), reader_.line_number(), message);
  }

  /// Reads "-C N" anywhere in the name of the relation.
  void ParseRelation(std::string_view text) {
    const std::size_t at = text.find("-C ");
    if (at == std::string_view::npos) return;
    text = Trimmed(text.substr(at + 3));
    const bool last = text.starts_with('-');
    if (last) text.remove_prefix(1);
    Index number = 0;
    if (!ParseIndex(TakeDigits(&text), &number)) return;
    header_.relation_labels = last ? -number : number;
  }

  void ParseAttribute(ArffScanner* scanner) {
    ArffAttribute attribute;
    attribute.line = reader_.line_number();
    const ArffScanner::Token name = scanner->Next("{,");
    if (!name.closed)
      Fail("the closing quote of an attribute's name is missing: " + Quoted(name.text));
    if (name.text.empty()) Fail("an attribute without a name");
    attribute.name = std::string(name.text);
    if (scanner->AtEnd()) Fail("attribute " + Quoted(attribute.name) + " has no type");
    if (scanner->Accept('{')) {
      attribute.nominal = true;
      ParseNominalValues(scanner, &attribute);
    } else {
      const ArffScanner::Token type = scanner->Next("[");
      const std::string lower = LowerCase(type.text);
      if (!type.quoted && (lower == "string" || lower == "date" || lower == "relational")) {
        attribute.other_type = lower;
        return Append(std::move(attribute));  // ignores a format of dates
      }
      if (type.quoted || (lower != "numeric" && lower != "real" && lower != "integer")) {
        Fail("attribute " + Quoted(attribute.name) + " has type " + Quoted(type.text) +
             "; there are numeric, real, integer, nominal {...}, string, date and relational");
      }
      if (!scanner->AtEnd() && scanner->Peek() == '[')
        return Append(std::move(attribute));  // ignores a range
    }
    if (!scanner->AtEnd())
      Fail("text after the type of attribute " + Quoted(attribute.name) + ": " +
           Quoted(scanner->Rest()));
    Append(std::move(attribute));
  }

  void ParseNominalValues(ArffScanner* scanner, ArffAttribute* attribute) {
    std::unordered_set<std::string> seen;
    const std::string place = " in the values of attribute " + Quoted(attribute->name);
    do {
      if (scanner->AtEnd()) Fail("the closing '}' is missing" + place);
      const ArffScanner::Token value = scanner->Next(",}");
      if (!value.closed) Fail("the closing quote is missing" + place + ": " + Quoted(value.text));
      if (value.text.empty() && !value.quoted) Fail("an empty value" + place);
      if (!seen.insert(std::string(value.text)).second)
        Fail("value " + Quoted(value.text) + " occurs twice" + place);
      attribute->values.emplace_back(value.text);
    } while (scanner->Accept(',') || (!scanner->AtEnd() && scanner->Peek() != '}'));
    if (!scanner->Accept('}')) Fail("the closing '}' is missing" + place);
  }

  void Append(ArffAttribute attribute) {
    const auto number = static_cast<Index>(header_.attributes.size());
    const auto [other, is_new] = header_.by_name.emplace(attribute.name, number);
    if (!is_new) {
      Fail("attribute " + Quoted(attribute.name) + " was declared before, on line " +
           std::to_string(header_.attributes[other->second].line));
    }
    header_.attributes.push_back(std::move(attribute));
  }

  const LineReader& reader_;
  ArffHeader header_;
};

}  // namespace

ArffHeader ReadArffHeader(LineReader* reader, std::string_view line) {
  HeaderParser parser(*reader);
  do {
    if (!parser.ParseLine(line)) return parser.Take();
  } while (reader->Next(&line));
  throw DataError(reader->name(), 0, "no @data section");
}

void CheckSameHeader(const ArffHeader& header, const ArffHeader& other) {
  const std::size_t common = std::min(header.attributes.size(), other.attributes.size());
  for (std::size_t a = 0; a < common; ++a) {
    if (other.attributes[a].SameAs(header.attributes[a])) continue;
    throw DataError(other.file, other.attributes[a].line,
                    "attribute " + Quoted(other.attributes[a].name) +
                        " is not declared like attribute " + Quoted(header.attributes[a].name) +
                        " of " + header.file);
  }
  if (header.attributes.size() == other.attributes.size()) return;
  throw DataError(other.file, 0,
                  std::to_string(other.attributes.size()) + " attributes, but " + header.file +
                      " has " + std::to_string(header.attributes.size()));
}

}  // namespace slackline::internal
