// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multiclass evaluate
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/cmd_common.h>
#include <slackline/apps/cli/cmd_json.h>
#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/common/joined_results.h>
#include <slackline/apps/multiclass/class_costs.h>
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>
#include <slackline/apps/multiclass/multiclass_metrics.h>
#include <slackline/apps/multiclass/multiclass_predict.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMulticlassEvaluateDescription =
    "Predicts the classes of examples and compares them with the classes given in DATA. Unknown "
    "classes (empty, NA, ?) do not count;\n"
    "classes that the model does not know count as errors, but have no cost. The mean cost is that "
    "of --costs, or else of the\n"
    "costs in training, if there were any. Macro F1 is the mean over the classes that are given or "
    "predicted.\n"
    "The table of confusions has a row for every true class and a column for every predicted "
    "class; "
    "where there are more than\n"
    "12 classes, the most frequent errors are listed instead, and --confusion writes the table.";

constexpr const char* kMulticlassEvaluateExamples =
    "Examples:\n"
    "  slackline multiclass evaluate pixels-test.svm.gz --model digits.slk\n"
    "  slackline multiclass evaluate flowers-test.csv --model f.slk --costs costs.csv --confusion "
    "confusion.csv\n"
    "  slackline multiclass evaluate pixels-test.svm.gz --model digits.slk --json > metrics.json";

constexpr std::size_t kMostColumns = 12;  // of a table of confusions on the terminal
constexpr std::size_t kListedErrors = 10;

struct MulticlassEvaluateCommand {
  std::string data;
  std::string model;
  std::string costs;
  std::string confusion;
  bool json = false;
  bool quiet = false;
  ClassReadingFlags reading;
  ThreadFlag threads;
};

/// What is reported about a model on data.
struct Report {
  const std::vector<std::string>& classes;  ///< those of the model, then those unknown to it
  Index model_classes = 0;
  const MulticlassMetrics& metrics;
  std::string costs;  ///< the file of the costs in the mean cost; empty: the model's costs, or none
  bool has_costs = false;

  std::int64_t Count(std::size_t truth, std::size_t predicted) const {
    return metrics.confusion[truth * classes.size() + predicted];
  }
};

Json MetricsJson(const Report& report) {
  const MulticlassMetrics& metrics = report.metrics;
  Json classes = Json::array(), confusion = Json::array();
  std::int64_t unknown = 0;
  for (std::size_t a = 0; a < report.classes.size(); ++a) {
    const ClassMetrics& one = metrics.classes[a];
    if (std::cmp_greater_equal(a, report.model_classes)) unknown += one.support;
    classes.push_back({{"name", report.classes[a]},
                       {"precision", one.precision},
                       {"recall", one.recall},
                       {"f1", one.f1},
                       {"support", one.support},
                       {"predicted", one.predicted}});
    Json row = Json::array();
    for (std::size_t b = 0; b < report.classes.size(); ++b) row.push_back(report.Count(a, b));
    confusion.push_back(std::move(row));
  }
  return {{"examples", metrics.examples},
          {"error_rate", metrics.error_rate},
          {"mean_cost", report.has_costs ? Json(metrics.mean_cost) : Json(nullptr)},
          {"macro_f1", metrics.macro_f1},
          {"unknown_classes", unknown},
          {"classes", std::move(classes)},
          {"confusion", std::move(confusion)}};
}

/// The table with rows of true and columns of predicted classes.
void AppendConfusion(const Report& report, std::string* text) {
  std::size_t width = 8;
  for (const std::string& name : report.classes) width = std::max(width, Length(name) + 2);
  const auto cell = [&](const std::string& content) {
    text->append(width - std::min(width, Length(content)), ' ').append(content);
  };
  *text += "\nconfusions: rows are true classes, columns are predictions\n";
  cell("");
  for (Index b = 0; b < report.model_classes; ++b) cell(report.classes[Size(b)]);
  *text += '\n';
  for (std::size_t a = 0; a < report.classes.size(); ++a) {
    cell(report.classes[a]);
    for (Index b = 0; b < report.model_classes; ++b) cell(std::to_string(report.Count(a, Size(b))));
    *text += '\n';
  }
}

/// The most frequent errors; among equals, the first of the table.
void AppendErrors(const Report& report, std::string* text) {
  struct Error {
    std::int64_t count;
    std::size_t truth, predicted;
  };
  std::vector<Error> errors;
  for (std::size_t a = 0; a < report.classes.size(); ++a) {
    for (std::size_t b = 0; b < report.classes.size(); ++b) {
      if (a != b && report.Count(a, b) > 0) errors.push_back({report.Count(a, b), a, b});
    }
  }
  if (errors.empty()) return;
  std::stable_sort(errors.begin(), errors.end(),
                   [](const Error& a, const Error& b) { return a.count > b.count; });
  errors.resize(std::min(errors.size(), kListedErrors));
  *text += "\nmost frequent errors\n";
  for (const Error& error : errors) {
    Append(text, "%9lld  %s predicted as %s\n", static_cast<long long>(error.count),
           report.classes[error.truth].c_str(), report.classes[error.predicted].c_str());
  }
}

std::string MetricsTable(const Report& report) {
  const MulticlassMetrics& metrics = report.metrics;
  std::string text = Count(metrics.examples, "example") + ", " +
                     std::to_string(report.classes.size()) + " classes";
  if (const auto unknown = std::ssize(report.classes) - report.model_classes; unknown > 0)
    text += ", " + std::to_string(unknown) + " of them unknown to the model";
  text += "\n\n";
  Append(&text, "error rate  %8.4f   (share of examples with a wrong class)\n", metrics.error_rate);
  if (report.has_costs) {
    Append(&text, "mean cost   %8.4f   (per example, by the costs of %s)\n", metrics.mean_cost,
           report.costs.empty() ? "the training" : report.costs.c_str());
  }
  Append(&text, "macro F1    %8.4f   (mean over the classes)\n", metrics.macro_f1);
  Append(&text, "\n%9s %9s %9s %9s  class\n", "precision", "recall", "F1", "support");
  for (std::size_t a = 0; a < report.classes.size(); ++a) {
    const ClassMetrics& one = metrics.classes[a];
    Append(&text, "%9.4f %9.4f %9.4f %9lld  ", one.precision, one.recall, one.f1,
           static_cast<long long>(one.support));
    text += report.classes[a] + "\n";
  }
  if (report.classes.size() <= kMostColumns) {
    AppendConfusion(report, &text);
  } else {
    AppendErrors(report, &text);
  }
  return text;
}

std::string ConfusionCsv(const Report& report) {
  std::string text = "true\\predicted";
  for (const std::string& name : report.classes) text += "," + CsvCell(name);
  text += '\n';
  for (std::size_t a = 0; a < report.classes.size(); ++a) {
    text += CsvCell(report.classes[a]);
    for (std::size_t b = 0; b < report.classes.size(); ++b)
      text += "," + std::to_string(report.Count(a, b));
    text += '\n';
  }
  return text;
}

int RunMulticlassEvaluate(const MulticlassEvaluateCommand& command) {
  Ranks& ranks = ProcessRanks();
  const int threads = command.threads.Read();
  if (!command.confusion.empty()) {
    OnFirstRank([&] {
      CheckOutput("confusion", command.confusion, {command.data, command.model, command.costs},
                  true);
    });
  }
  const MulticlassModel model =
      MakeOnAllRanks([&] { return MulticlassModel::Load(command.model); });
  std::vector<double> costs(model.costs().begin(), model.costs().end());
  if (!command.costs.empty())
    costs = MakeOnAllRanks([&] { return ReadClassCosts(command.costs, model.class_names()); });
  const MultiLabelData data =
      ReadMultiLabelData(command.data, command.reading.OptionsFor(model.ReadOptions()));
  if (!command.quiet) TellNotes(data.notes);
  MulticlassPredictions predictions =
      MakeOnAllRanks([&] { return PredictClasses(model, *data.rows, threads); });
  const std::vector<Index> truth = JoinOnFirst(ranks, data.classes);
  const std::vector<Index> predicted = JoinOnFirst(ranks, std::move(predictions.labels));
  OnFirstRank([&] {
    const MulticlassMetrics metrics =
        ComputeClassMetrics(data.num_labels(), model.num_classes(), truth, predicted, costs);
    if (metrics.examples == 0)
      throw DataError(data.source, 0,
                      "no class is known: there is nothing to compare predictions with");
    const Report report{data.label_names, model.num_classes(), metrics, command.costs,
                        !costs.empty()};
    if (!command.confusion.empty()) WriteOutput(command.confusion, ConfusionCsv(report));
    WriteOutput("-", command.json ? JsonText(MetricsJson(report)) : MetricsTable(report));
  });
  return 0;
}

}  // namespace

void AddMulticlassEvaluate(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"evaluate", kMulticlassEvaluateDescription, kMulticlassEvaluateExamples},
      RunMulticlassEvaluate);
  app->AddArgument("DATA", &command->data, "examples with their classes")->Required();
  AddTextOption(app, "model", &command->model, "M.slk", "the model")->Required();
  command->reading.Register(app);
  AddTextOption(app, "costs", &command->costs, "FILE",
                "what errors cost (as in train), for the mean cost", "the costs in training");
  AddTextOption(app, "confusion", &command->confusion, "FILE",
                "also write the table of confusions as CSV");
  command->threads.Register(app);
  app->AddFlag("--json", &command->json, "write JSON instead of a table");
  app->AddFlag("--quiet,-q", &command->quiet, "print only the result and errors");
}

}  // namespace slackline::internal::program
