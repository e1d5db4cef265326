// SPDX-License-Identifier: BSD-3-Clause
//
// The examples of all ranks in every rank, for cross-validation, where ranks share the trainings,
// not the examples.
#pragma once

#include <string>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// The examples of all ranks, in the order of the ranks; `mine` where this process is alone. All
/// ranks must call the function. Rows are copied into memory. Throws DataError on all ranks where
/// the copies of this machine's ranks do not fit into its memory. what: what needs all examples, in
/// the user's terms, such as "--calibrate".
MultiLabelData JoinExamples(Ranks& ranks, const MultiLabelData& mine, const std::string& what);

}  // namespace slackline::internal
