// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/sequence_reader.h>

#include <algorithm>

#include <slackline/core/parse_number.h>

namespace slackline::internal {

LineRole RoleOfTokenLine(std::string_view line) {
  return std::all_of(line.begin(), line.end(), IsBlank) ? LineRole::kSeparator : LineRole::kPart;
}

}  // namespace slackline::internal
