// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_compare.h>

#include <cstdio>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_interrupt.h>
#include <slackline/apps/cli/training/cmd_train_report.h>
#include <slackline/apps/multilabel/prediction/independent_labels.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/apps/multilabel/validation/multilabel_metrics.h>

namespace slackline::internal::program {
namespace {

MultiLabelMetrics Evaluate(const MultiLabelModel& model, const MultiLabelData& test, int threads) {
  PredictOptions options;
  options.threads = threads;
  return ComputeMetrics(model.num_labels(), test.labels, Predict(model, test, options).labels);
}

}  // namespace

int AddComparison(const CompareTask& task, const std::string& file, Json* json,
                  std::string* table) {
  const MultiLabelData data = ReadMultiLabelData(file, task.model.ReadOptions());
  const std::atomic<int>* interrupt = CatchInterrupts();
  TrainReport report(true);
  const IndependentLabels baseline =
      TrainIndependentLabels(task.model, data, task.threads, &report, interrupt);
  report.ClearLine();
  if (baseline.summary.termination == Termination::kInterrupted) {
    std::fprintf(stderr, "interrupted: there is nothing to compare with yet\n");
    return 128 + interrupt->load();
  }
  if (baseline.summary.termination != Termination::kConverged)
    std::fprintf(stderr, "note: training of independent labels: %s\n",
                 baseline.summary.message.c_str());
  const MultiLabelMetrics metrics = Evaluate(baseline.model, task.test, task.threads);
  Append(table,
         "\nWhat the %s of labels are worth: this model, and independent labels trained on\n",
         Count(static_cast<Offset>(task.model.pairs().size()), "pair").c_str());
  Append(table, "%s with the default lambda, %s\n\n", file.c_str(),
         Number(baseline.lambda).c_str());
  Append(table, "%-16s %10s %12s %11s\n", "", "model", "independent", "difference");
  Json figures = {{"data", file},
                  {"lambda", baseline.lambda},
                  {"relative_gap", baseline.summary.last.relative_gap},
                  {"termination", Name(baseline.summary.termination)}};
  Json differences = Json::object();
  for (const MultiLabelFigure& figure : MultiLabelFigures()) {
    const double with = task.metrics.*figure.member;
    const double without = metrics.*figure.member;
    Append(table, "%-16s %10.4f %12.4f %+11.4f\n", std::string(figure.title).c_str(), with, without,
           with - without);
    figures[std::string(figure.key)] = without;
    differences[std::string(figure.key)] = with - without;
  }
  *table += "(smaller is better for Hamming loss, larger for the others)\n";
  (*json)["independent"] = std::move(figures);
  (*json)["difference"] = std::move(differences);
  return 0;
}

}  // namespace slackline::internal::program
