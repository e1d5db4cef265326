// SPDX-License-Identifier: BSD-3-Clause
//
// --graph of multi-label commands when it leaves a choice: `auto`, or a list of graphs. Part of the
// program only.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/commands/cmd_multilabel_common.h>

namespace slackline::internal::program {

/// The graphs that --graph names: one, or several to choose from, sparser ones first. `auto` leaves
/// out the full graph if the loss has no max oracle on it, training does not fit into memory, or a
/// pass takes minutes; *note then becomes a sentence about the reason. Throws DataError on a list
/// with names other than full, tree, none.
std::vector<std::string> GraphCandidates(const std::string& graph, const TrainingData& training,
                                         const DataSettings& settings, std::string* note);

/// The training for which a graph is chosen.
struct GraphChoiceRun {
  const SessionSettings& session;
  bool quiet = false;
  const std::atomic<int>* interrupt = nullptr;
};
/// For training with one λ: the graph that predicts best in five folds, by micro F1. Unless quiet,
/// prints the comparison to the standard error. Returns "" if interrupted.
std::string ChooseGraph(const DataFlags& flags, const DataSettings& settings,
                        const TrainingData& training, const std::vector<std::string>& graphs,
                        const GraphChoiceRun& run);

}  // namespace slackline::internal::program
