// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel cv
#include <algorithm>
#include <cstdio>
#include <memory>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/apps/cmd_cv.h>
#include <slackline/apps/cmd_interrupt.h>
#include <slackline/apps/cmd_multilabel_common.h>
#include <slackline/apps/cross_validation.h>
#include <slackline/apps/terminal_line.h>
#include <slackline/learning/lambda_path.h>

namespace slackline::program {
namespace {

constexpr const char* kDescription =
    "Chooses lambda by cross-validation, then trains with it on all data.\n"
    "The examples are dealt out to K folds at random. For each fold, models are trained on the others for "
    "all "
    "values of lambda,\nfrom the largest to the smallest, each from the solution of the one before, and are "
    "tried on the fold.\nThe table has mean and standard deviation over the folds. Ctrl-C ends it early.";

constexpr const char* kExamples =
    "Examples:\n"
    "  slackline multilabel cv yeast-train.arff.gz --labels yeast.xml --lambda-path 0.1:0.0005:8 --model "
    "yeast.slk\n"
    "  slackline multilabel cv reuters.svm.gz --num-labels 30 --lambda-path 0.01,0.001 --folds 10 --metric "
    "hamming "
    "--no-refit --json";

struct CvCommand {
  DataFlags data;
  CvFlags cv;
};

CvMetrics Metrics() {
  CvMetrics metrics;
  for (const MetricRecord& metric : MetricRecords()) metrics.names.push_back(metric.name);
  metrics.text =
      "what to choose by: Hamming loss (the smaller the better), or one of the others of `evaluate` "
      "(the larger the better). Of equal values, the largest lambda is chosen";
  metrics.default_name = "micro-f1";
  return metrics;
}

struct Settings {
  CrossValidationOptions options;
  DataSettings data;
  CvSettings cv;
  const MetricRecord* metric = nullptr;
};

Settings ReadSettings(const CvCommand& command) {
  Settings settings;
  settings.options.train = command.cv.train.Read();
  settings.data = command.data.Read(settings.options.train);
  settings.cv = command.cv.Read(Metrics(), command.data.inputs());
  settings.options.lambdas = settings.cv.lambdas;
  settings.options.folds = settings.cv.folds;
  settings.options.graph = command.data.graph;
  settings.options.loss = settings.data.loss;
  settings.options.kernel_bias = settings.data.bias;
  settings.metric = &MetricRecords()[settings.cv.metric];
  return settings;
}

FoldTotals TotalsOf(const std::vector<FoldResult>& folds) {
  FoldTotals totals;
  for (const FoldResult& fold : folds) totals.Add(fold.last, fold.termination);
  return totals;
}

std::string Table(const Settings& settings, const CrossValidation& validation, std::size_t best) {
  const CrossValidationOptions& options = settings.options;
  std::string text;
  Append(&text, "%12s %12s %10s %10s %9s %10s\n", "lambda", std::string(settings.metric->name).c_str(),
         "deviation", "converged", "passes", "seconds");
  for (std::size_t k = 0; k < options.lambdas.size(); ++k) {
    const Spread spread = SpreadOf(validation.results[k], *settings.metric);
    const FoldTotals totals = TotalsOf(validation.results[k]);
    const std::string converged = std::to_string(totals.converged) + "/" + std::to_string(options.folds);
    Append(&text, "%12s %12.4f %10.4f %10s %9lld %10.2f%s\n", LambdaText(options.lambdas[k]).c_str(),
           spread.mean, spread.deviation, converged.c_str(), static_cast<long long>(totals.passes),
           totals.seconds, k == best ? "  best" : "");
  }
  return text;
}

Json ResultJson(const CvCommand& command, const Settings& settings, const MultiLabelData& data,
                const CrossValidation& validation, std::size_t best) {
  const CrossValidationOptions& options = settings.options;
  Json path = Json::array();
  for (std::size_t k = 0; k < options.lambdas.size(); ++k) {
    const std::vector<FoldResult>& folds = validation.results[k];
    Json entry = {{"lambda", options.lambdas[k]}};
    AddTotals(TotalsOf(folds), &entry);
    for (const MetricRecord& metric : MetricRecords()) {
      std::vector<double> values;
      for (const FoldResult& fold : folds) values.push_back(fold.metrics.*metric.member);
      entry[std::string(metric.key)] = SpreadJson(values);
    }
    path.push_back(std::move(entry));
  }
  const Spread spread = SpreadOf(validation.results[best], *settings.metric);
  return {
      {"program", ProgramVersion()},
      {"data", data.source},
      {"examples", data.num_examples()},
      {"folds", options.folds},
      {"seed", options.train.seed},
      {"metric", settings.metric->key},
      {"graph", command.data.graph},
      {"loss", command.data.loss},
      {"path", std::move(path)},
      {"best", {{"lambda", options.lambdas[best]}, {"mean", spread.mean}, {"deviation", spread.deviation}}}};
}

int Run(const CvCommand& command) {
  const Settings settings = ReadSettings(command);
  const CrossValidationOptions& options = settings.options;
  const MultiLabelData data = ReadTrainingData(command.data, settings.data);
  command.cv.CheckFolds(settings.cv, data.source, data.num_examples(), "example");
  MultiLabelSession task(command.data, settings.data, data);
  if (!command.cv.quiet)
    task.Describe(ChooseLearner(task.problem(), options.train), settings.cv.LambdaRange());
  const std::atomic<int>* interrupt = CatchInterrupts();
  TerminalLine line(!command.cv.quiet);
  const CrossValidation validation = CrossValidate(
      data, options,
      [&](Index fold, std::size_t k, const FoldResult&) {
        line.Show("fold " + std::to_string(fold + 1) + " of " + std::to_string(options.folds) + ", lambda " +
                  LambdaText(options.lambdas[k]) + " done");
      },
      interrupt);
  line.Clear();
  if (validation.interrupted) {
    std::fprintf(stderr, "interrupted: %s of %d are done, no lambda is chosen%s\n",
                 Count(static_cast<Offset>(validation.results.back().size()), "fold").c_str(),
                 static_cast<int>(options.folds), command.cv.no_refit ? "" : " and no model is written");
    return 128 + interrupt->load();
  }

  const std::size_t best = BestLambda(validation, *settings.metric);
  const double lambda = options.lambdas[best];
  if (!command.cv.json) WriteOutput("-", Table(settings, validation, best));
  Json json = ResultJson(command, settings, data, validation, best);
  const bool finished =
      command.cv.no_refit ||
      command.cv.RefitBest(options.train, lambda, "training on all data with lambda " + LambdaText(lambda),
                           interrupt, &task, &json);
  if (command.cv.json) WriteOutput("-", JsonText(json));
  return finished ? 0 : 128 + interrupt->load();
}

}  // namespace

void AddMultiLabelCv(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<CvCommand>();
  CLI::App* app = parent->add_subcommand("cv", kDescription);
  command->data.Register(app);
  command->cv.Register(app, Metrics(), "all data");
  app->footer(kExamples);
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
