// SPDX-License-Identifier: BSD-3-Clause
//
// Summaries of weights as text and as JSON. Part of the program only.
#pragma once

#include <string>
#include <string_view>

#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/common/weight_summary.h>

namespace slackline::internal::program {

/// The text in exactly `width` ≥ 1 characters: cut with … if longer, padded with blanks if shorter.
/// Control characters become blanks.
std::string Fitted(std::string_view text, std::size_t width);

/// Tables of at most 100 columns of text.
std::string WeightsText(const WeightSummary& summary);

/// The whole summary except the matrices of pairs.
Json WeightsJson(const WeightSummary& summary);

}  // namespace slackline::internal::program
