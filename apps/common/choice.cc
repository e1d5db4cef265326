// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/choice.h>

#include <algorithm>
#include <string>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>

namespace slackline::internal {

std::size_t CheckChoice(std::string_view option, std::string_view value,
                        const std::vector<std::string_view>& choices) {
  const auto found = std::find(choices.begin(), choices.end(), value);
  if (found != choices.end()) return found - choices.begin();
  std::string allowed;
  for (const std::string_view choice : choices) allowed.append(" ").append(choice);
  throw DataError("--" + std::string(option) + ": " + Quoted(value) +
                  " is not allowed; it must be one of" + allowed + DidYouMean(value, choices));
}

std::vector<std::string_view> Alternatives(std::string_view placeholder) {
  std::vector<std::string_view> values;
  while (!placeholder.empty()) {
    const std::size_t end = std::min(placeholder.find('|'), placeholder.size());
    values.push_back(placeholder.substr(0, end));
    placeholder.remove_prefix(std::min(end + 1, placeholder.size()));
  }
  return values;
}

Index ReadCount(std::string_view option, std::string_view value, Index minimum, Index maximum) {
  const std::string refusal =
      "--" + std::string(option) + ": " + Quoted(value) + " is not allowed; ";
  Index count = 0;
  if (!ParseIndex(value, &count) || count < minimum)
    throw DataError(refusal + "it must be a whole number ≥ " + std::to_string(minimum));
  if (count > maximum)
    throw DataError(refusal + "at most " + std::to_string(maximum) + " are possible");
  return count;
}

double ReadReal(std::string_view option, std::string_view value, bool positive, double largest) {
  double number = 0;
  if (ParseNumber(value, &number) && (positive ? number > 0 : number >= 0) && number <= largest)
    return number;
  throw DataError("--" + std::string(option) + ": " + Quoted(value) +
                  " is not allowed; it must be a number " + (positive ? "> 0" : "≥ 0") +
                  (largest < kInfinity ? " and ≤ " + NumberText(largest, 6) : ""));
}

LossScale ReadLossScale(std::string_view value) {
  return CheckChoice("loss", value, {"mean", "count"}) == 0 ? LossScale::kMean : LossScale::kCount;
}

char ReadSeparator(const std::string& separator) {
  if (separator.empty()) return '\0';
  if (separator == "tab" || separator == "\\t") return '\t';
  if (separator.size() == 1 && separator != "\"" && separator != "\n") return separator.front();
  throw DataError("--separator: " + Quoted(separator) +
                  " is not allowed; it must be one character, or tab");
}

}  // namespace slackline::internal
