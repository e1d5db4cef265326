// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/training/graph_choice.h>

#include <algorithm>
#include <cstdio>

#include <slackline/apps/common/choice.h>
#include <slackline/apps/multilabel/data/joined_examples.h>
#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parallel.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

/// In the order of preference among equally good graphs.
const std::vector<std::string_view> kGraphs = {"none", "tree", "full"};
constexpr std::size_t kMicroF1 = 2;  // index in MultiLabelFigures()
constexpr Index kFolds = 5;
/// `auto` does not try the full graph if a pass takes longer.
constexpr double kLongestPassSeconds = 64;

/// The reason why the full graph is not tried: the loss or the size of the data. Empty if it is
/// tried. With several ranks, all of them call this function, and get the same text.
std::string WhyNotFullGraph(const MultiLabelData& data, const MultiLabelTrainingOptions& options) {
  if (options.loss.form == LossForm::kF1) return "--loss f1 is for graphs without cycles";
  const Offset labels = data.num_labels();
  const Offset pairs = labels * (labels - 1) / 2;
  if (pairs > kMaxLabelPairs) return "it has " + Count(pairs, "pair");
  Ranks& ranks = options.the_ranks();
  const auto examples = static_cast<Index>(ranks.SumOf(data.num_examples()));
  std::string excess = ranks.FirstText(TrainingExcess(
      {examples, labels, Offset{data.num_features} + 1, pairs, 0, SharedMemory(ranks)},
      options.learner));
  if (!excess.empty()) return excess;
  if (PassSeconds(pairs, examples) <= kLongestPassSeconds) return {};
  return Count(pairs, "pair") + " and " + Count(examples, "example") + " take minutes per pass";
}

}  // namespace

std::vector<std::string> GraphCandidates(const std::string& graph, const MultiLabelData& data,
                                         const MultiLabelTrainingOptions& options,
                                         std::string* note) {
  if (graph == "auto") {
    const std::string excess = WhyNotFullGraph(data, options);
    if (excess.empty()) return {kGraphs.begin(), kGraphs.end()};
    *note = "graph full is not tried: " + excess;
    return {kGraphs.begin(), kGraphs.end() - 1};
  }
  const std::vector<std::string> names = Split(graph, ',');
  const auto known = [](const std::string& name) {
    return std::find(kGraphs.begin(), kGraphs.end(), name) != kGraphs.end();
  };
  if (names.size() < 2 || !known(names.front())) return {graph};
  for (const std::string& name : names) CheckChoice("graph", name, kGraphs);
  std::vector<std::string> chosen;
  for (const std::string_view name : kGraphs) {
    if (std::find(names.begin(), names.end(), name) != names.end()) chosen.emplace_back(name);
  }
  return chosen;
}

std::optional<GraphChoice> ChooseGraph(const MultiLabelData& data,
                                       const MultiLabelTrainingOptions& options,
                                       const std::vector<std::string>& graphs,
                                       const TrainOptions& train,
                                       const std::atomic<int>* interrupt) {
  Ranks& ranks = RanksOf(train);
  const MultiLabelData all = JoinExamples(ranks, data, "--graph auto, or a list of graphs,");
  const MultiLabelCv application(
      all, CvOptionsOf(options, std::vector<LabelGraph>(graphs.begin(), graphs.end())));
  const Index examples = application.num_examples();
  if (examples < kFolds)
    throw DataError("--graph: choosing a graph needs " + Count(kFolds, "example") + ", but " +
                    application.source() + " has " + Count(examples, "example"));
  CvPlan plan;
  plan.lambdas = {train.lambda};
  plan.folds = MakeFolds(examples, kFolds, static_cast<std::uint64_t>(train.seed));
  plan.candidates.assign(graphs.size(), InOneProcess(train));
  plan.ranks = &ranks;
  plan.metric = kMicroF1;
  plan.threads = NumThreads(train.threads);
  const CvResult result = CrossValidate(application, plan, interrupt);
  if (result.interrupted) return std::nullopt;
  GraphChoice choice;
  choice.graph = graphs[result.entries[result.best].candidate];
  choice.line = "graph: " + choice.graph + ", by cross-validation: micro F1";
  for (const CvEntry& entry : result.entries) {
    char figure[32];
    std::snprintf(figure, sizeof(figure), "%.4f", SpreadOf(entry.figures(kMicroF1)).mean);
    choice.line += (entry.candidate > 0 ? ", " : " ") + graphs[entry.candidate] + " " + figure;
  }
  return choice;
}

}  // namespace slackline::internal
