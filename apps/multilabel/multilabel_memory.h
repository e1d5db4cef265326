// SPDX-License-Identifier: BSD-3-Clause
//
// A lower bound on the memory for training a multi-label model, calibrated on measured resident
// sizes of the program. Data that exceed it cannot fit: data with a mistyped feature number or
// number of labels are rejected before anything is allocated.
#pragma once

#include <span>
#include <string>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/label_graph.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/types.h>
#include <slackline/learning/options.h>

namespace slackline::internal {

/// Per weight: one number in the learner's point, in the newest and in the best evaluation, and in
/// the model, and two copies while the model is saved.
inline constexpr double kBytesPerWeight = 48;
/// Per example and label: the true label as read, in the data set and in the training set, and the
/// table of losses.
inline constexpr double kBytesPerLabelEntry = 25;
/// Per pair of labels: scope, incidences, feature term, and the arrays of an oracle.
inline constexpr double kBytesPerPair = 400;
/// Per pair of a restricted graph. Every pattern of missing labels has its own graph.
inline constexpr double kBytesPerRestrictedPair = 130;
/// Per pair and example: blocks or messages of al, soft, dlpw and smooth-dlpw.
inline constexpr double kBytesPerPairBlock = 32;
/// Per pair and example: entries, messages and steps of pdhg, and the coordinates of a point.
inline constexpr double kBytesPerSaddlePair = 80;
/// Per pair and example: the dense dual points of fw and prox-sdca.
inline constexpr double kBytesPerPairCoordinate = 8;

struct MultiLabelSize {
  Offset examples = 0;
  Offset labels = 0;
  Offset columns = 0;  ///< number of features, including the constant; 0 = unknown
  Offset pairs = 0;
  Offset restricted_pairs = 0;  ///< sum over the graphs of all patterns of missing labels
  /// Shared by the processes on this machine that train together, on about as many examples each.
  MemoryShare memory = {UsableMemory(), 1};
};

/// The number of `pairs` that remain under a pattern of missing labels, summed over the different
/// patterns in the data. Examples without missing labels or without known labels do not count.
Offset RestrictedPairs(const MultiLabelData& data, std::span<const LabelPair> pairs);

/// A lower bound on the memory of training, in bytes. kAuto: without the blocks of al and soft.
double TrainingBytes(const MultiLabelSize& size, LearnerKind learner);

/// A text on what takes how much memory and what to do, if training needs more memory than the
/// machine has; else "".
std::string TrainingExcess(const MultiLabelSize& size, LearnerKind learner);

}  // namespace slackline::internal
