// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers as spreadsheets and people write them: $5, 10%, 1,234.5, 1.234,5.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace slackline::internal {

/// How all numbers of a column are written. The values are those in model files.
struct NumberForm {
  enum class Sign : std::uint8_t {
    kNoSign,
    kCurrency,  ///< one of $ € £ ¥ before or after the number
    kPercent    ///< % after the number, whose value is the number before it
  };
  enum class Marks : std::uint8_t {
    kPoint,   ///< 1234.5
    kGroups,  ///< 1,234.5: commas between groups of three digits
    kCommas,  ///< 1.234,5: a decimal comma, and points between groups
  };
  Sign sign = Sign::kNoSign;
  Marks marks = Marks::kPoint;

  bool plain() const { return sign == Sign::kNoSign && marks == Marks::kPoint; }
  bool operator==(const NumberForm&) const = default;
};

/// The number in a text of this form; nullopt for other texts. Infinite where it is too large for a
/// double.
std::optional<double> ParseForm(std::string_view text, NumberForm form);

/// A form in which all these texts are numbers, and which at least one of them needs; nullopt if
/// there is none. commas: whether a comma surely is the decimal sign. Otherwise texts such as 1,5
/// and 1,234 do not decide, but 1.234,5 does.
std::optional<NumberForm> FindForm(std::span<const std::string_view> texts, bool commas);

}  // namespace slackline::internal
