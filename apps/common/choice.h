// SPDX-License-Identifier: BSD-3-Clause
//
// The values of the options of applications.
#pragma once

#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include <slackline/core/loss.h>
#include <slackline/core/types.h>

namespace slackline::internal {

/// The index of the choice that equals the value of `--option`. Throws DataError, which names all
/// choices, if there is none.
std::size_t CheckChoice(std::string_view option, std::string_view value,
                        const std::vector<std::string_view>& choices);

/// "mean" and "count" of "mean|count".
std::vector<std::string_view> Alternatives(std::string_view placeholder);

/// The value of `--option`: an integer, or a real number. Throw DataError, which says what is
/// allowed.
Index ReadCount(std::string_view option, std::string_view value, Index minimum,
                Index maximum = std::numeric_limits<Index>::max());
double ReadReal(std::string_view option, std::string_view value, bool positive,
                double largest = kInfinity);

/// --separator of a table, '\0' if it is empty. Throws DataError.
char ReadSeparator(const std::string& value);

/// --loss mean|count.
LossScale ReadLossScale(std::string_view value);

}  // namespace slackline::internal
