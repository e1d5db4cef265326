// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/common/choice.h>

#include <algorithm>
#include <string>

#include <slackline/core/check.h>
#include <slackline/core/nearest_name.h>
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

LossScale ReadLossScale(std::string_view value) {
  return CheckChoice("loss", value, {"mean", "count"}) == 0 ? LossScale::kMean : LossScale::kCount;
}

}  // namespace slackline::internal
