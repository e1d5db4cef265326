// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/report/cmd_checked_json.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

/// Lines of logs have fewer than ten levels of nesting. A limit is needed because reading and
/// writing JSON is recursive.
constexpr int kDeepestNesting = 64;

long LineOf(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, position);
  return 1 + static_cast<long>(std::count(before.begin(), before.end(), '\n'));
}

/// Checks JSON without making values of it. Throws when it is invalid or nested too deeply.
class SyntaxCheck : public nlohmann::json_sax<Json> {
 public:
  SyntaxCheck(const std::string& path, std::string_view text, long first_line)
      : path_(path), text_(text), first_line_(first_line) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool start_array(std::size_t) override { return Enter(); }
  bool end_array() override { return Leave(); }
  bool parse_error(std::size_t position, const std::string& token,
                   const Json::exception& error) override {
    const bool overflow = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    throw DataError(path_, LineAt(position),
                    overflow ? "the number " + Quoted(token) + " is too large"
                             : "is not JSON" + (token.empty() ? "" : ", at " + Quoted(token)));
  }

 private:
  bool Enter() {
    if (++depth_ <= kDeepestNesting) return true;
    throw DataError(
        path_, LineAt(PlaceOfDepth()),
        "more than " + std::to_string(kDeepestNesting) + " nested brackets; logs have fewer");
  }
  bool Leave() {
    --depth_;
    return true;
  }
  long LineAt(std::size_t position) const { return first_line_ - 1 + LineOf(text_, position); }
  /// The position of the first bracket that is nested too deeply.
  std::size_t PlaceOfDepth() const {
    int depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text_.size(); ++at) {
      const char c = text_[at];
      if (quoted && c == '\\') ++at;
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if ((c == '[' || c == '{') && ++depth > kDeepestNesting) return at;
      if (c == ']' || c == '}') --depth;
    }
    return text_.size();
  }

  const std::string& path_;
  std::string_view text_;
  long first_line_;
  int depth_ = 0;
};

}  // namespace

Json ParseJson(const std::string& path, const std::string& text, long first_line) {
  SyntaxCheck check(path, text, first_line);
  Json::sax_parse(text, &check);
  return Json::parse(text);
}

void JsonChecker::Fail(const std::string& message) const {
  throw DataError(path_, line_, what_ + message);
}

const Json& JsonChecker::Member(const Json& object, const char* name, Json::value_t type,
                                const std::string& where) const {
  if (!object.is_object()) Fail(where + " is not an object");
  const auto found = object.find(name);
  if (found == object.end()) Fail(where + " has no '" + name + "'");
  const bool number = type == Json::value_t::number_float;
  if (number ? !found->is_number() : found->type() != type) {
    Fail("'" + std::string(name) + "' of " + where + " has the wrong type");
  }
  return *found;
}

}  // namespace slackline::internal::program
