// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multiclass, and how its commands read data
#include <slackline/apps/multiclass/commands/cmd_multiclass.h>

#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/cli/cmd_table_flags.h>
#include <slackline/apps/multiclass/multiclass_task.h>
#include <slackline/apps/tasks/commands/cmd_task.h>
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

constexpr TaskTexts kMulticlassTexts = {
    .train =
        {"train",
         "Trains a classifier with one class per example (Crammer and Singer, 2001), and writes it "
         "to a "
         "model file.\n"
         "DATA is a table (CSV, TSV; needs --label-column) or LIBSVM, plain or gzip, or a folder "
         "with "
         "files part-...; - reads the standard\n"
         "input. Classes are texts as they stand; of LIBSVM data, the first field of every line. "
         "An "
         "example whose class is not\n"
         "known (empty, NA, ?) is left out. Ctrl-C ends training early and keeps the best model.",
         "Examples:\n"
         "  slackline multiclass train pixels.svm.gz --model digits.slk\n"
         "  slackline multiclass train flowers.csv --label-column species --ignore-columns id "
         "--model "
         "f.slk\n"
         "  slackline multiclass train pixels.svm.gz --costs costs.csv --lambda 0.001 --model "
         "d.slk\n"
         "  slackline multiclass train pixels.svm.gz --costs costs.csv --learner multi-sample "
         "--samples "
         "10 --verify --model d.slk\n"
         "  slackline multiclass train pixels.svm.gz --kernel rbf --kernel-gamma 0.1 --model "
         "d.slk"},
    .cv = {"cv",
           "Chooses lambda by cross-validation, then trains with it on all data.\n"
           "The examples are divided into K folds at random. For each fold, models are trained on "
           "the "
           "other folds for all values of\n"
           "lambda, from the largest to the smallest, each starting from the solution of the "
           "previous "
           "one, and are evaluated on the\n"
           "fold. The table has mean and standard deviation over the folds. Ctrl-C ends "
           "cross-validation "
           "early. Features are scaled\n"
           "over all examples.",
           "Examples:\n"
           "  slackline multiclass cv pixels.svm.gz --model digits.slk\n"
           "  slackline multiclass cv flowers.csv --label-column species --lambda-path "
           "0.1,0.01,0.001 "
           "--metric macro-f1 --no-refit --json"},
    .predict = {},
    .evaluate = {},
    .metrics =
        "what to choose by: mean cost of an example (without --costs the error rate), error rate "
        "(the smaller the better) or macro F1. Of equal values, the largest lambda is chosen"};

}  // namespace

void AddMulticlass(Command* parent, Action* action) {
  Command* app =
      parent->AddCommand("multiclass", "Classification: every example has one of K classes.");
  app->RequireCommand();
  app->SetFooter(kMulticlassExamples);
  AddTaskTrain<MulticlassTask>(app, action, kMulticlassTexts);
  AddMulticlassPredict(app, action);
  AddMulticlassEvaluate(app, action);
  AddTaskCv<MulticlassTask>(app, action, kMulticlassTexts);
  app->AddAbsent("convert", kNoConversion);
  app->AddAbsent("online", kNoOnlineTraining);
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
