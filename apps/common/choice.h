// SPDX-License-Identifier: BSD-3-Clause
//
// The value of an option that has a few names as values.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <slackline/core/loss.h>

namespace slackline::internal {

/// The index of the choice that equals the value of `--option`. Throws DataError, which names all
/// choices, if there is none.
std::size_t CheckChoice(std::string_view option, std::string_view value,
                        const std::vector<std::string_view>& choices);

/// --loss mean|count.
LossScale ReadLossScale(std::string_view value);

}  // namespace slackline::internal
