// SPDX-License-Identifier: BSD-3-Clause
//
// How many labels predictions may have.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/count_range.h>
#include <slackline/core/loss.h>

namespace slackline::internal {

/// "any", "MIN-MAX", "MIN-" (no upper bound) or "N" (exactly so many); "auto": none, which leaves
/// it to the training data. Throws DataError on anything else.
std::optional<CountRange> ParseLabelCounts(std::string_view text);

/// What was asked for or, where nothing was, no fewer labels than every training example has (of
/// entries that are unknown, those could be 0). Throws DataError when there are too few labels for
/// it.
CountRange LabelCountsFor(const std::optional<CountRange>& asked, const MultiLabelData& training);

/// The bounds that training keeps as well, by a global factor: those that were asked for, where the
/// model has no kernel and no pairs, so that examples are still maximised exactly, where the loss
/// is a sum, and where the labels of all examples are known and keep them; else none.
CountRange TrainingCounts(const std::optional<CountRange>& asked, const MultiLabelModel& model,
                          const MultiLabelData& training, LossForm form = LossForm::kSum);

/// "any number of labels", "at least 1 label", "1 to 3 labels", "exactly 2 labels".
std::string DescribeLabelCounts(const CountRange& range, Index labels);

}  // namespace slackline::internal
