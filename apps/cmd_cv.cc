// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/cmd_cv.h>

#include <cstdio>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <slackline/core/check.h>
#include <slackline/core/quoted.h>
#include <slackline/learning/lambda_path.h>

namespace slackline::program {

std::string CvSettings::LambdaRange() const {
  return LambdaText(lambdas.front()) + " to " + LambdaText(lambdas.back()) + " (" +
         Count(static_cast<Offset>(lambdas.size()), "value") + ", " + Count(folds, "fold") + ")";
}

void CvFlags::Register(CLI::App* app, const CvMetrics& metrics, const std::string& all) {
  metric = metrics.default_name;
  std::string names;
  for (const std::string_view name : metrics.names) names.append(names.empty() ? "" : "|").append(name);
  AddTextOption(app, "lambda-path", &lambda_path, "L1,L2,...|FROM:TO:COUNT",
                "values of lambda to choose from: these, or so many in a geometric sequence")
      ->required();
  AddTextOption(app, "folds", &folds, "K", "number of folds, at least 2", "5");
  AddTextOption(app, "metric", &metric, names, metrics.text, metrics.default_name);
  CLI::Option* model_option = AddTextOption(
      app, "model", &model, "OUT.slk", "where to write the model that is trained on " + all + " in the end");
  app->add_flag("--no-refit", no_refit, "train no such model")->excludes(model_option);
  app->add_flag("--json", json, "write JSON, with all metrics, instead of a table");
  app->add_flag("--quiet,-q", quiet, "say nothing but the result and errors");
  train.Register(app);
  train.Hide("lambda");
}

CvSettings CvFlags::Read(const CvMetrics& metrics, const std::vector<std::string>& inputs) const {
  CvSettings settings;
  if (train.Given("lambda")) throw DataError("--lambda: its values are those of --lambda-path here");
  settings.lambdas = ReadLambdaPath(lambda_path);
  settings.folds = ReadCount("folds", folds, 2);
  settings.metric = CheckChoice("metric", metric, metrics.names);
  if (no_refit) return settings;
  if (model.empty()) throw DataError("--model: a file name is needed, or --no-refit");
  CheckOutput("model", model, inputs, false);
  return settings;
}

void CvFlags::CheckFolds(const CvSettings& settings, const std::string& source, Index examples,
                         const std::string& noun) const {
  if (settings.folds <= examples) return;
  throw DataError("--folds: " + Quoted(folds) + ", but " + source + " has " + Count(examples, noun));
}

int CvFlags::NothingChosen(const std::atomic<int>* interrupt) const {
  std::fprintf(stderr, "interrupted: no lambda is chosen%s\n", no_refit ? "" : " and no model is written");
  return 128 + interrupt->load();
}

bool CvFlags::RefitBest(const TrainOptions& options, double lambda, const std::string& announcement,
                        const std::atomic<int>* interrupt, SessionTask* task, Json* result) const {
  if (!quiet) std::fprintf(stderr, "%s\n", announcement.c_str());
  RefitOptions refit{options, model, quiet};
  refit.train.lambda = lambda;
  return Refit(refit, interrupt, task, &(*result)["refit"]) != Termination::kInterrupted;
}

void AppendTotalsHead(std::string* text) {
  Append(text, " %10s %8s %9s\n", "converged", "passes", "seconds");
}

void AppendTotals(const FoldTotals& totals, const CvSettings& settings, bool best, std::string* text) {
  const std::string converged = std::to_string(totals.converged) + "/" + std::to_string(settings.folds);
  Append(text, " %10s %8lld %9.2f%s\n", converged.c_str(), static_cast<long long>(totals.passes),
         totals.seconds, best ? "  best" : "");
}

Json SpreadJson(const std::vector<double>& values) {
  const Spread spread = SpreadOf(values);
  return {{"mean", spread.mean}, {"deviation", spread.deviation}, {"folds", values}};
}

void AddTotals(const FoldTotals& totals, Json* json) {
  (*json)["converged"] = totals.converged;
  (*json)["passes"] = totals.passes;
  (*json)["seconds"] = totals.seconds;
}

}  // namespace slackline::program
