// SPDX-License-Identifier: BSD-3-Clause
//
// The examples of all ranks in every rank, for work that is shared out by trainings and not by
// examples: cross-validation.
#pragma once

#include <string>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// The examples of all ranks, in the order of the ranks; those of `mine` where this process is
/// alone. All ranks call this function. Rows are copied into the memory. Throws DataError on all
/// ranks where they do not fit into the memory of the machine, together with those of its other
/// ranks. what: what needs all examples, as the user knows it, such as "--calibrate".
MultiLabelData JoinExamples(Ranks& ranks, const MultiLabelData& mine, const std::string& what);

}  // namespace slackline::internal
