// SPDX-License-Identifier: BSD-3-Clause
//
// --graph of multi-label commands where it leaves a choice: `auto`, or a list of graphs. Part of
// the program only.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/commands/cmd_multilabel_common.h>

namespace slackline::internal::program {

/// The graphs that --graph names: one, or those to choose from, the sparser ones first. `auto`
/// leaves out the full graph where the loss has no maximum on it, training would not fit into
/// memory, or a pass would take minutes; *note becomes a sentence about that. Throws DataError on a
/// list with other names than full, tree, none.
std::vector<std::string> GraphCandidates(const std::string& graph, const TrainingData& training,
                                         const DataSettings& settings, std::string* note);

/// The training that a graph is chosen for.
struct GraphChoiceRun {
  const SessionSettings& session;
  bool quiet = false;
  const std::atomic<int>* interrupt = nullptr;
};
/// For training with one λ: the graph of these that predicts best in five folds, by micro F1. Says
/// on the standard error, unless quiet, how they compare. Empty when interrupted.
std::string ChooseGraph(const DataFlags& flags, const DataSettings& settings,
                        const TrainingData& training, const std::vector<std::string>& graphs,
                        const GraphChoiceRun& run);

}  // namespace slackline::internal::program
