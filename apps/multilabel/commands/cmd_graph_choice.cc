// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_graph_choice.h>

#include <algorithm>
#include <cstdio>

#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/apps/multilabel/validation/multilabel_cv.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/split.h>

namespace slackline::internal::program {
namespace {

/// In the order of preference among equally good graphs.
const std::vector<std::string_view> kGraphs = {"none", "tree", "full"};
constexpr std::size_t kMicroF1 = 2;  // index in MultiLabelFigures()
constexpr Index kFolds = 5;
/// `auto` does not try the full graph if a pass takes longer.
constexpr double kLongestPassSeconds = 64;

/// The reason why the full graph is not tried: the loss or the size of the data. Empty if it is
/// tried.
std::string WhyNotFullGraph(const TrainingData& training, const DataSettings& settings) {
  if (settings.loss.form == LossForm::kF1) return "--loss f1 is for graphs without cycles";
  const MultiLabelData& data = training.data;
  const Offset labels = data.num_labels();
  const Offset pairs = labels * (labels - 1) / 2;
  if (pairs > kMaxLabelPairs) return "it has " + Count(pairs, "pair");
  std::string excess = TrainingExcess(
      {data.num_examples(), labels, Offset{data.num_features} + 1, pairs, 0}, settings.learner);
  if (!excess.empty()) return excess;
  if (PassSeconds(pairs, data.num_examples()) <= kLongestPassSeconds) return {};
  return Count(pairs, "pair") + " and " + Count(data.num_examples(), "example") +
         " take minutes per pass";
}

}  // namespace

std::vector<std::string> GraphCandidates(const std::string& graph, const TrainingData& training,
                                         const DataSettings& settings, std::string* note) {
  if (graph == "auto") {
    const std::string excess = WhyNotFullGraph(training, settings);
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

std::string ChooseGraph(const DataFlags& flags, const DataSettings& settings,
                        const TrainingData& training, const std::vector<std::string>& graphs,
                        const GraphChoiceRun& run) {
  const SessionSettings& session = run.session;
  const MultiLabelCv application(training.data, CvOptionsOf(settings, graphs));
  const Index examples = application.num_examples();
  if (examples < kFolds)
    throw DataError("--graph: choosing a graph needs " + Count(kFolds, "example") + ", but " +
                    application.source() + " has " + Count(examples, "example"));
  DataFlags first = flags;
  first.graph = graphs.front();
  CvPlan plan;
  plan.lambdas = {ChooseLambda(session, MultiLabelSession(first, settings, training))};
  plan.folds = MakeFolds(examples, kFolds, static_cast<std::uint64_t>(session.train.seed));
  plan.candidates.assign(graphs.size(), session.train);
  plan.metric = kMicroF1;
  plan.threads = NumThreads(session.train.threads);
  const CvResult result = CrossValidate(application, plan, run.interrupt);
  if (result.interrupted) return {};
  std::string line =
      "graph: " + graphs[result.entries[result.best].candidate] + ", by cross-validation: micro F1";
  for (const CvEntry& entry : result.entries)
    Append(&line, "%s %s %.4f", entry.candidate > 0 ? "," : "", graphs[entry.candidate].c_str(),
           SpreadOf(entry.figures(kMicroF1)).mean);
  if (!run.quiet) std::fprintf(stderr, "%s\n", line.c_str());
  return graphs[result.entries[result.best].candidate];
}

}  // namespace slackline::internal::program
