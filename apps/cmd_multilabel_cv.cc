// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel cv
#include <algorithm>
#include <cstdio>
#include <memory>

#include <slackline/apps/cmd_interrupt.h>
#include <slackline/apps/cmd_multilabel_common.h>
#include <slackline/apps/cross_validation.h>
#include <slackline/apps/terminal_line.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
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
  std::string lambda_path;
  std::string folds = "5";
  std::string metric = "micro-f1";
  std::string model;
  bool no_refit = false;
  bool json = false;
  bool quiet = false;
  TrainFlags flags;
};

void Register(CLI::App* app, CvCommand* command) {
  command->data.Register(app);
  AddTextOption(app, "lambda-path", &command->lambda_path, "L1,L2,...|FROM:TO:COUNT",
                "values of lambda to choose from: these, or so many in a geometric sequence")
      ->required();
  AddTextOption(app, "folds", &command->folds, "K", "number of folds, at least 2", "5");
  AddTextOption(
      app, "metric", &command->metric, "hamming|subset|micro-f1|macro-f1|example-f1|jaccard",
      "what to choose by: Hamming loss (the smaller the better), or one of the others of `evaluate` "
      "(the larger the better). Of equal values, the largest lambda is chosen",
      "micro-f1");
  CLI::Option* model = AddTextOption(app, "model", &command->model, "OUT.slk",
                                     "where to write the model that is trained on all data in the end");
  app->add_flag("--no-refit", command->no_refit, "train no such model")->excludes(model);
  app->add_flag("--json", command->json, "write JSON, with all metrics, instead of a table");
  app->add_flag("--quiet,-q", command->quiet, "say nothing but the result and errors");
  command->flags.Register(app);
  app->footer(kExamples);
}

struct Settings {
  CrossValidationOptions options;
  DataSettings data;
  const MetricRecord* metric = nullptr;
};

Settings ReadSettings(const CvCommand& command) {
  Settings settings;
  settings.options.train = command.flags.Read();
  settings.data = command.data.Read(settings.options.train.learner);
  if (command.flags.Given("lambda")) throw DataError("--lambda: its values are those of --lambda-path here");
  settings.options.lambdas = ReadLambdaPath(command.lambda_path);
  settings.options.graph = command.data.graph;
  settings.options.loss = settings.data.loss;
  settings.options.folds = ReadCount("folds", command.folds, 2);
  std::vector<std::string_view> metrics;
  for (const MetricRecord& metric : MetricRecords()) metrics.push_back(metric.name);
  settings.metric = &MetricRecords()[CheckChoice("metric", command.metric, metrics)];
  if (command.no_refit) return settings;
  if (command.model.empty()) throw DataError("--model: a file name is needed, or --no-refit");
  CheckOutput("model", command.model, command.data.inputs(), false);
  return settings;
}

/// Sums over the folds of one λ.
struct Totals {
  Offset passes = 0;
  double seconds = 0;
  Index converged = 0;

  explicit Totals(const std::vector<FoldResult>& folds) {
    for (const FoldResult& fold : folds) {
      passes += fold.last.pass;
      seconds += fold.last.seconds + fold.last.check_seconds;
      converged += fold.termination == Termination::kConverged ? 1 : 0;
    }
  }
};

std::string Table(const Settings& settings, const CrossValidation& validation, std::size_t best) {
  const CrossValidationOptions& options = settings.options;
  std::string text;
  Append(&text, "%12s %12s %10s %10s %9s %10s\n", "lambda", std::string(settings.metric->name).c_str(),
         "deviation", "converged", "passes", "seconds");
  for (std::size_t k = 0; k < options.lambdas.size(); ++k) {
    const Spread spread = SpreadOf(validation.results[k], *settings.metric);
    const Totals totals(validation.results[k]);
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
    const Totals totals(folds);
    Json entry = {{"lambda", options.lambdas[k]},
                  {"converged", totals.converged},
                  {"passes", totals.passes},
                  {"seconds", totals.seconds}};
    for (const MetricRecord& metric : MetricRecords()) {
      const Spread spread = SpreadOf(folds, metric);
      Json values = Json::array();
      for (const FoldResult& fold : folds) values.push_back(fold.metrics.*metric.member);
      entry[std::string(metric.key)] = {
          {"mean", spread.mean}, {"deviation", spread.deviation}, {"folds", std::move(values)}};
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
  if (options.folds > data.num_examples()) {
    throw DataError("--folds: " + Quoted(command.folds) + ", but " + data.source + " has " +
                    Count(data.num_examples(), "example"));
  }
  MultiLabelSession task(command.data, settings.data, data);
  if (!command.quiet) {
    task.Describe(ChooseLearner(task.problem(), options.train),
                  LambdaText(options.lambdas.front()) + " to " + LambdaText(options.lambdas.back()) + " (" +
                      Count(static_cast<Offset>(options.lambdas.size()), "value") + ", " +
                      Count(options.folds, "fold") + ")");
  }
  const std::atomic<int>* interrupt = CatchInterrupts();
  TerminalLine line(!command.quiet);
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
                 static_cast<int>(options.folds), command.no_refit ? "" : " and no model is written");
    return 128 + interrupt->load();
  }

  const std::size_t best = BestLambda(validation, *settings.metric);
  const double lambda = options.lambdas[best];
  if (!command.json) WriteOutput("-", Table(settings, validation, best));
  Json json = ResultJson(command, settings, data, validation, best);
  bool interrupted = false;
  if (!command.no_refit) {
    if (!command.quiet)
      std::fprintf(stderr, "training on all data with lambda %s\n", LambdaText(lambda).c_str());
    RefitOptions refit{options.train, command.model, command.quiet};
    refit.train.lambda = lambda;
    interrupted = Refit(refit, interrupt, &task, &json["refit"]) == Termination::kInterrupted;
  }
  if (command.json) WriteOutput("-", JsonText(json));
  return interrupted ? 128 + interrupt->load() : 0;
}

}  // namespace

void AddMultiLabelCv(CLI::App* parent, Action* action) {
  const auto command = std::make_shared<CvCommand>();
  CLI::App* app = parent->add_subcommand("cv", kDescription);
  Register(app, command.get());
  app->callback([command, action] { *action = [command] { return Run(*command); }; });
}

}  // namespace slackline::program
