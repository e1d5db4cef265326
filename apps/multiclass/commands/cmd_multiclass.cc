// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multiclass, and how its commands read data
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>

#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMulticlassExamples =
    "Examples:\n"
    "  slackline multiclass train pixels.svm.gz --model digits.slk\n"
    "  slackline multiclass train flowers.csv --label-column species --costs costs.csv --model "
    "f.slk\n"
    "  slackline multiclass evaluate pixels-test.svm.gz --model digits.slk\n"
    "  slackline multiclass predict pixels-test.svm.gz --model digits.slk --out predicted.txt";

}  // namespace

void AddMulticlass(Command* parent, Action* action) {
  Command* app =
      parent->AddCommand("multiclass", "Classification: every example has one of K classes.");
  app->RequireCommand();
  app->SetFooter(kMulticlassExamples);
  AddMulticlassTrain(app, action);
  AddMulticlassPredict(app, action);
  AddMulticlassEvaluate(app, action);
  AddMulticlassCv(app, action);
}

void RegisterClassFormat(Command* app, std::string* format) {
  AddTextOption(app, "format", format, "auto|libsvm|csv|tsv",
                "format of DATA. auto decides by the first line: LIBSVM has a class, then "
                "index:value; any other is the header of a table",
                "auto")
      ->SetAudience(Audience::kCommand);
}

MultiLabelFormat ReadClassFormat(const std::string& format) {
  return ReadChoice("format", format,
                    {MultiLabelFormat::kAuto, MultiLabelFormat::kLibsvm, MultiLabelFormat::kCsv,
                     MultiLabelFormat::kTsv});
}

void ClassDataFlags::Register(Command* app, const std::string& what, const std::string& other) {
  app->AddArgument("DATA", &data, "training data")->Required();
  RegisterClassFormat(app, &format);
  AddTextOption(app, "label-column", &label_column, "COLUMN",
                "column of a table (CSV, TSV) with " + what +
                    ": its name or position (3; -1 is the last column)");
  AddTextOption(app, "ignore-columns", &ignore_columns, "LIST",
                "columns that are neither " + other +
                    " nor features: names, patterns such as id_*, positions, or ranges (2:5), "
                    "separated by commas")
      ->SetAudience(Audience::kCommand);
  cells.Register(app);
}

MultiLabelReadOptions ClassDataFlags::ReadOptions() const {
  MultiLabelReadOptions read;
  read.format = ReadClassFormat(format);
  read.label_columns = label_column;
  read.ignore_columns = ignore_columns;
  cells.SetIn(&read);
  return read;
}

void ClassDataFlags::AddTo(std::vector<std::pair<std::string, std::string>>* options) const {
  if (!label_column.empty()) options->emplace_back("label-column", label_column);
  if (!ignore_columns.empty()) options->emplace_back("ignore-columns", ignore_columns);
  cells.AddTo(options);
}

void ClassReadingFlags::Register(Command* app) {
  RegisterClassFormat(app, &format);
  AddTextOption(app, "label-column", &label_column, "NAME",
                "name of the column of a table that has the classes", "that of the training data");
  RegisterSeparator(app, &separator);
  app->AddFlag("--strict", &strict,
               "refuse columns, categories, features and classes that the model does not know");
}

MultiLabelReadOptions ClassReadingFlags::OptionsFor(MultiLabelReadOptions options) const {
  options.format = ReadClassFormat(format);
  options.separator = ReadSeparator(separator);
  options.strict = strict;
  options.ranks = &ProcessRanks();
  if (label_column.empty()) return options;
  if (!options.table) throw DataError("--label-column: the model was not trained on a table");
  for (const TableColumn& column : options.table->columns) {
    if (column.name == label_column)
      throw DataError("--label-column: column " + Quoted(label_column) +
                      " has features of the model");
  }
  options.class_column = label_column;
  return options;
}

}  // namespace slackline::internal::program
