// SPDX-License-Identifier: BSD-3-Clause
//
// What `slackline report` draws of a model. Part of the program only.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

/// An object with the member "model":
///   file, task       name of the file, and the task
///   facts            pairs of name and text, as `info` shows them
///   certificate      what is certified
///   curve            columns pass, seconds, primal and dual of the checks; null: not kept
///   cross_validation as in `info --json`; null: the model was not chosen by it
///   strongest        as in `info --weights --json`, of at most kPageLabels labels; pairs have a
///                    "matrix" of at most kMatrixLabels labels besides
/// Throws DataError when the file is no model.
Json ModelPageData(const std::string& path);

inline constexpr int kPageTop = 12;       ///< features of each label and kind
inline constexpr int kPageLabels = 1000;  ///< labels whose features are in the page
inline constexpr int kMatrixLabels = 40;  ///< labels of a heat map

}  // namespace slackline::internal::program
