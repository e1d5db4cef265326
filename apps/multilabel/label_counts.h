// SPDX-License-Identifier: BSD-3-Clause
//
// Bounds on the number of labels of predictions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/core/count_range.h>
#include <slackline/core/loss.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

/// "any", "MIN-MAX", "MIN-" (no upper bound) or "N" (exactly N). "auto" returns nullopt: the bounds
/// then depend on the training data. Throws DataError on any other text.
std::optional<CountRange> ParseLabelCounts(std::string_view text);

/// `asked` if given; else the bounds are: at least as many labels as every training example has (an
/// unknown label may be off). Throws DataError when the data have too few labels for the bounds.
/// With several ranks, all must call it, each with its own examples, and all get the same bounds.
CountRange LabelCountsFor(const std::optional<CountRange>& asked, const MultiLabelData& training,
                          Ranks& ranks = OneRank());

/// The bounds that training also enforces, by a global factor. These are `asked` if the model has
/// no kernel and no pairs (so that examples are still maximised exactly), the loss is a sum, and
/// the labels of all examples (of all ranks) are known and satisfy the bounds; else no bounds.
CountRange TrainingCounts(const std::optional<CountRange>& asked, const MultiLabelModel& model,
                          const MultiLabelData& training, LossForm form = LossForm::kSum,
                          Ranks& ranks = OneRank());

/// "any number of labels", "at least 1 label", "1 to 3 labels", "exactly 2 labels".
std::string DescribeLabelCounts(const CountRange& range, Index labels);

}  // namespace slackline::internal
