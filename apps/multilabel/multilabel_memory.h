// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that training a multi-label model takes at least. Measured on resident sizes of the
// program: what does not fit by these figures does not fit at all, so that data with a mistyped
// feature number or number of labels are refused before anything is allocated.
#pragma once

#include <span>
#include <string>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/core/types.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

/// Per weight: one number each in the learner's point, in the newest and in the best evaluation, in
/// the model, and in two copies while the model is saved.
inline constexpr double kBytesPerWeight = 48;
/// Per example and label: the true label, as read, in the data set and in the training set, and the
/// table of losses.
inline constexpr double kBytesPerLabelEntry = 25;
/// Per pair of labels: scope, incidences, feature term, and the arrays of an oracle.
inline constexpr double kBytesPerPair = 400;
/// Per pair of a restricted graph: every pattern of missing labels has one of its own.
inline constexpr double kBytesPerRestrictedPair = 130;
/// Per pair and example: blocks of the learners al and soft.
inline constexpr double kBytesPerPairBlock = 32;

struct MultiLabelSize {
  Offset examples = 0;
  Offset labels = 0;
  Offset columns = 0;  ///< features, the constant included; 0 = not known yet
  Offset pairs = 0;
  Offset restricted_pairs = 0;  ///< of the graphs of all patterns of missing labels together
};

/// The pairs that remain of `pairs` in every different pattern of missing labels of the data, all
/// together. Examples without missing labels, and those without labels, do not count.
Offset RestrictedPairs(const MultiLabelData& data, std::span<const LabelPair> pairs);

/// Lower bound of the memory that training takes, in bytes. kAuto: without the blocks of al and
/// soft.
double TrainingBytes(const MultiLabelSize& size, LearnerKind learner);

/// Says what takes how much memory when that is more than the machine has, and what to do; else "".
std::string TrainingExcess(const MultiLabelSize& size, LearnerKind learner);

}  // namespace slackline::internal
