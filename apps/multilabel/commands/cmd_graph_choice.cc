// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_graph_choice.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include <slackline/apps/multilabel/multilabel_memory.h>
#include <slackline/apps/multilabel/validation/cross_validation.h>
#include <slackline/apps/multilabel/validation/multilabel_trial.h>
#include <slackline/core/check.h>
#include <slackline/core/parallel.h>
#include <slackline/core/split.h>

namespace slackline::internal::program {
namespace {

/// In the order in which equal ones are preferred.
const std::vector<std::string_view> kGraphs = {"none", "tree", "full"};
constexpr std::size_t kMicroF1 = 2;  // of MetricRecords()
constexpr Index kFolds = 5;
/// `auto` does not try the full graph where a pass takes longer.
constexpr double kLongestPassSeconds = 64;

/// Why the full graph is not for the loss, or too large for the data; else empty.
std::string FullGraphExcess(const TrainingData& training, const DataSettings& settings) {
  if (settings.loss.form == LossForm::kF1) return "--loss f1 is for graphs without cycles";
  const MultiLabelData& data = training.data;
  const Offset labels = data.num_labels();
  const Offset pairs = labels * (labels - 1) / 2;
  if (pairs > kMaxLabelPairs) return "it has " + Count(pairs, "pair");
  const std::string excess = TrainingExcess(
      {data.num_examples(), labels, Offset{data.num_features} + 1, pairs, 0}, settings.learner);
  if (!excess.empty()) return excess;
  if (PassSeconds(pairs, data.num_examples()) <= kLongestPassSeconds) return {};
  return Count(pairs, "pair") + " and " + Count(data.num_examples(), "example") +
         " take minutes a pass";
}

}  // namespace

CvMetrics MultiLabelCvMetrics() {
  CvMetrics metrics;
  for (const MetricRecord& record : MetricRecords())
    metrics.figures.push_back({record.name, record.key, record.title, record.smaller_is_better});
  metrics.text =
      "what to choose by: Hamming loss (the smaller the better), or one of the others of "
      "`evaluate` (the larger the better). Of equal values, the largest lambda is chosen";
  metrics.default_name = "micro-f1";
  return metrics;
}

std::vector<std::string> GraphCandidates(const std::string& graph, const TrainingData& training,
                                         const DataSettings& settings, std::string* note) {
  if (graph == "auto") {
    const std::string excess = FullGraphExcess(training, settings);
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

CvProblem MakeMultiLabelCv(const DataFlags& flags, const DataSettings& settings,
                           const TrainingData& training, std::vector<std::string> graphs,
                           std::optional<CalibrationPlan> calibration) {
  CvProblem problem;
  problem.source = training.data.source;
  problem.examples = training.data.num_examples();
  problem.figures = MultiLabelCvMetrics().figures;
  problem.candidate_key = "graph";
  problem.candidates = std::move(graphs);
  problem.make = [&settings, &training, candidates = problem.candidates](
                     const TrainOptions& options, std::size_t candidate,
                     const std::vector<std::vector<Index>>& folds, std::size_t fold) {
    MultiLabelTrialOptions trial;
    trial.graph = candidates[candidate];
    trial.loss = settings.loss;
    trial.kernel_bias = settings.bias;
    trial.label_counts = settings.label_counts;
    trial.train = options;
    return std::make_unique<MultiLabelTrial>(training.data, trial, folds, fold);
  };
  problem.session = [&flags, &settings, &training, candidates = problem.candidates,
                     calibration = std::move(calibration)](std::size_t candidate) {
    DataFlags chosen = flags;
    chosen.graph = candidates[candidate];
    auto task = std::make_unique<MultiLabelSession>(chosen, settings, training);
    if (calibration) task->CalibrateBy(*calibration);
    return task;
  };
  return problem;
}

std::string ChooseGraph(const DataFlags& flags, const DataSettings& settings,
                        const TrainingData& training, const std::vector<std::string>& graphs,
                        const GraphChoiceRun& run) {
  const SessionSettings& session = run.session;
  const CvProblem problem = MakeMultiLabelCv(flags, settings, training, graphs);
  if (problem.examples < kFolds)
    throw DataError("--graph: a choice needs " + Count(kFolds, "example") + ", but " +
                    problem.source + " has " + Count(problem.examples, "example"));
  const auto folds =
      MakeFolds(problem.examples, kFolds, static_cast<std::uint64_t>(session.train.seed));
  LambdaSearchTask task;
  task.lambdas = {ChooseLambda(session, *problem.session(0))};
  task.num_candidates = graphs.size();
  task.num_folds = kFolds;
  task.metric = kMicroF1;
  task.threads = NumThreads(session.train.threads);
  TrainOptions train = session.train;
  train.threads = 1;
  task.make = [&](std::size_t candidate, std::size_t fold) {
    return problem.make(train, candidate, folds, fold);
  };
  const LambdaSearchResult result = SearchLambda(task, run.interrupt);
  if (result.interrupted) return {};
  std::string line =
      "graph: " + graphs[result.entries[result.best].candidate] + ", by cross-validation: micro F1";
  for (const SearchEntry& entry : result.entries)
    Append(&line, "%s %s %.4f", entry.candidate > 0 ? "," : "", graphs[entry.candidate].c_str(),
           SpreadOf(entry.figures(kMicroF1)).mean);
  if (!run.quiet) std::fprintf(stderr, "%s\n", line.c_str());
  return graphs[result.entries[result.best].candidate];
}

}  // namespace slackline::internal::program
