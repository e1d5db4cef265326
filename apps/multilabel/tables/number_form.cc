// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/tables/number_form.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

constexpr std::array<std::string_view, 4> kCurrencies = {"$", "\xe2\x82\xac", "\xc2\xa3",
                                                         "\xc2\xa5"};

bool TakeSign(std::string_view* text, std::string* number) {
  if (text->empty() || (text->front() != '-' && text->front() != '+')) return false;
  if (text->front() == '-') number->push_back('-');
  text->remove_prefix(1);
  return true;
}

bool TakeCurrency(std::string_view* text) {
  for (const std::string_view currency : kCurrencies) {
    if (text->starts_with(currency)) {
      *text = Trimmed(text->substr(currency.size()));
      return true;
    }
    if (text->ends_with(currency)) {
      *text = Trimmed(text->substr(0, text->size() - currency.size()));
      return true;
    }
  }
  return false;
}

/// Digits in groups, and decimals after the other mark: 1,234.5 with ',' and '.'. Appends them as
/// 1234.5 and returns the number of marks between groups, or −1 for another text.
int TakeGrouped(std::string_view text, char between, char decimal, std::string* number) {
  std::string_view digits = TakeDigits(&text);
  if (digits.empty()) return -1;
  number->append(digits);
  int marks = 0;
  const bool may_be_grouped = digits.size() <= 3 && digits.front() != '0';
  while (may_be_grouped && !text.empty() && text.front() == between) {
    text.remove_prefix(1);
    digits = TakeDigits(&text);
    if (digits.size() != 3) return -1;
    number->append(digits);
    ++marks;
  }
  if (!text.empty() && text.front() == decimal) {
    text.remove_prefix(1);
    digits = TakeDigits(&text);
    if (digits.empty()) return -1;
    number->append(".").append(digits);
  }
  return text.empty() ? marks : -1;
}

struct Parsed {
  double value = 0;
  int groups = 0;         // marks between groups of digits
  bool decimals = false;  // has a sign of decimals
};

std::optional<Parsed> Parse(std::string_view text, NumberForm form) {
  std::string number;
  bool negative = TakeSign(&text, &number);
  if (form.sign == NumberForm::Sign::kPercent) {
    if (!text.ends_with('%')) return std::nullopt;
    text = Trimmed(text.substr(0, text.size() - 1));
  } else if (form.sign == NumberForm::Sign::kCurrency) {
    if (!TakeCurrency(&text)) return std::nullopt;
    if (!negative) TakeSign(&text, &number);
  }
  const bool commas = form.marks == NumberForm::Marks::kCommas;
  Parsed parsed;
  parsed.groups = TakeGrouped(text, commas ? '.' : ',', commas ? ',' : '.', &number);
  if (parsed.groups < 0 || (form.marks == NumberForm::Marks::kPoint && parsed.groups > 0))
    return std::nullopt;
  parsed.decimals = number.find('.') != std::string::npos;
  parsed.value = std::strtod(number.c_str(), nullptr);
  return parsed;
}

}  // namespace

std::optional<double> ParseForm(std::string_view text, NumberForm form) {
  const std::optional<Parsed> parsed = Parse(text, form);
  return parsed ? std::optional(parsed->value) : std::nullopt;
}

std::optional<NumberForm> FindForm(std::span<const std::string_view> texts, bool commas) {
  using Sign = NumberForm::Sign;
  using Marks = NumberForm::Marks;
  for (const Sign sign : {Sign::kNoSign, Sign::kCurrency, Sign::kPercent}) {
    for (const Marks marks : {Marks::kPoint, Marks::kGroups, Marks::kCommas}) {
      const NumberForm form{sign, marks};
      if (form.plain() || (commas && marks == Marks::kGroups)) continue;
      bool all = !texts.empty();
      bool decisive = marks == Marks::kPoint || commas;
      for (std::size_t k = 0; k < texts.size() && all; ++k) {
        const std::optional<Parsed> parsed = Parse(texts[k], form);
        all = parsed.has_value();
        if (!all) break;
        if (marks == Marks::kGroups) decisive = decisive || parsed->groups > 0;
        if (marks == Marks::kCommas)
          decisive = decisive || parsed->groups > 1 || (parsed->groups > 0 && parsed->decimals);
      }
      if (all && decisive) return form;
    }
  }
  return std::nullopt;
}

}  // namespace slackline::internal
