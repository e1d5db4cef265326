// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/option_spelling.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/learning/options.h>

namespace slackline::internal {
namespace {

/// The fields of TrainOptions (api/train.h), by the names of the options.
constexpr std::pair<std::string_view, std::string_view> kFields[] = {
    {"lambda", "lambda"},
    {"gap-tolerance", "gap_tolerance"},
    {"absolute-gap", "absolute_gap"},
    {"max-passes", "max_passes"},
    {"time-limit", "time_limit_seconds"},
    {"threads", "threads"},
    {"seed", "seed"},
    {"learner", "learner"},
    {"certify", "certify"}};

/// An option in a message, and its value as a text; empty: it is named alone.
struct OptionMention {
  std::string_view name;
  std::string_view value;
  bool is_flag = false;
  bool is_text = false;  ///< the value is no number
};

bool Accepts(const OptionRecord& record, std::string_view value) {
  TrainOptions scratch;
  try {
    SetOption(record, value, &scratch);
    return true;
  } catch (const DataError&) {
    return false;
  }
}

/// The option whose name begins here, behind the dashes; *end: where it ends.
OptionMention ReadOption(std::string_view text, std::size_t* end) {
  const auto in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; };
  const auto letters = std::find_if_not(text.begin(), text.end(), in_name);
  OptionMention option{text.substr(0, letters - text.begin()), {}};
  *end = option.name.size();
  const OptionRecord* record = FindOption(option.name);
  if (record == nullptr || !text.substr(*end).starts_with(" ")) return option;
  std::string_view word = text.substr(*end + 1);
  word = word.substr(0, word.find_first_of(" ,;:)"));
  if (word.ends_with('.')) word.remove_suffix(1);
  if (word.empty() || !Accepts(*record, word)) return option;
  option.value = word;
  option.is_flag = record->is_flag();
  option.is_text = std::isdigit(static_cast<unsigned char>(word.front())) == 0;
  *end += 1 + word.size();
  return option;
}

std::string InPython(const OptionMention& option) {
  std::string text = option.name == "lambda" ? "lam" : std::string(option.name);
  std::replace(text.begin(), text.end(), '-', '_');
  if (option.value.empty()) return text;
  if (option.is_flag) return text + (option.value == "on" ? "=True" : "=False");
  const std::string quote = option.is_text ? "\"" : "";
  return text + "=" + quote + std::string(option.value) + quote;
}

std::string InCpp(const OptionMention& option) {
  const std::string value(option.value);
  for (const auto& [name, field] : kFields) {
    if (name != option.name) continue;
    std::string member = "TrainOptions::" + std::string(field);
    if (value.empty()) return member;
    if (name != "certify")
      return member + (option.is_text ? " = \"" + value + "\"" : " = " + value);
    std::string constant = " = Certify::k" + value;
    char& first = constant[constant.size() - value.size()];
    first = static_cast<char>(std::toupper(static_cast<unsigned char>(first)));
    return member + constant;
  }
  const std::string name = "\"" + std::string(option.name) + "\"";
  return value.empty() ? "learner_options " + name
                       : "learner_options {" + name + ", \"" + value + "\"}";
}

}  // namespace

std::string SpellOptions(std::string_view message, OptionLanguage language) {
  std::string text;
  while (!message.empty()) {
    const std::size_t at = message.find("--");
    text += message.substr(0, at);
    if (at == std::string_view::npos) break;
    const bool begins_word =
        at == 0 || std::isalnum(static_cast<unsigned char>(message[at - 1])) == 0;
    message.remove_prefix(at + 2);
    if (!begins_word || message.empty() ||
        std::isalpha(static_cast<unsigned char>(message[0])) == 0) {
      text += "--";
      continue;
    }
    std::size_t end = 0;
    const OptionMention option = ReadOption(message, &end);
    text += language == OptionLanguage::kPython ? InPython(option) : InCpp(option);
    message.remove_prefix(end);
  }
  return text;
}

}  // namespace slackline::internal
