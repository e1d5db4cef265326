// SPDX-License-Identifier: BSD-3-Clause
//
// The data of a model that `slackline report` draws. Part of the program only.
#pragma once

#include <string>

#include <slackline/apps/cli/cmd_json.h>

namespace slackline::internal::program {

/// An object with the member "model":
///   file, task       name of the file, and the task
///   facts            pairs of name and text, as `info` shows them
///   certificate      which problem the certificate is about
///   curve            columns pass, seconds, primal and dual of the checks; null: not stored
///   cross_validation as in `info --json`; null: the model was not chosen by cross-validation
///   strongest        as in `info --weights --json`, for at most kPageLabels labels; pairs also
///                    have a "matrix" of at most kMatrixLabels labels
/// Throws DataError when the file is not a model.
Json ModelPageData(const std::string& path);

inline constexpr int kPageTop = 12;       ///< features of each label and kind
inline constexpr int kPageLabels = 1000;  ///< labels whose features are listed
inline constexpr int kMatrixLabels = 40;  ///< labels of the heat map

}  // namespace slackline::internal::program
