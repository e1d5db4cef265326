// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a label graph by cross-validation.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include <slackline/apps/common/cross_validation.h>
#include <slackline/apps/multilabel/training/multilabel_training.h>

namespace slackline::internal {

/// The graphs that `graph` names: one, or several to choose from, sparser ones first. `auto` stands
/// for none, tree and full. It leaves out the full graph if the loss has no max oracle on it,
/// training does not fit into memory, or a pass takes minutes; *note then says why. A list of names
/// is separated by commas. Throws DataError on a list with names other than full, tree, none. With
/// several ranks (options.ranks), all must call this function.
std::vector<std::string> GraphCandidates(const std::string& graph, const MultiLabelData& data,
                                         const MultiLabelTrainingOptions& options,
                                         std::string* note);

struct GraphChoice {
  std::string graph;
  /// The micro F1 of all candidates in a sentence.
  std::string line;
};
/// The graph that predicts best in five folds, by micro F1, when training with `train` (λ > 0).
/// nullopt if interrupted. Throws DataError on data with fewer examples than folds. Several ranks
/// share the trainings; meanwhile each has all examples (JoinExamples).
std::optional<GraphChoice> ChooseGraph(const MultiLabelData& data,
                                       const MultiLabelTrainingOptions& options,
                                       const std::vector<std::string>& graphs,
                                       const TrainOptions& train,
                                       const std::atomic<int>* interrupt);

}  // namespace slackline::internal
