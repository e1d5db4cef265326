// SPDX-License-Identifier: BSD-3-Clause
//
// slackline multilabel convert
#include <string>

#include <slackline/apps/cli/add_command.h>
#include <slackline/apps/cli/training/cmd_conversion.h>
#include <slackline/apps/multilabel/commands/cmd_reading.h>
#include <slackline/apps/multilabel/conversion/convert_data.h>
#include <slackline/core/check.h>

namespace slackline::internal::program {
namespace {

constexpr const char* kMultiLabelConvertDescription =
    "Converts data to a file that `train` uses where it lies, so that they can be larger than the "
    "memory.\nDATA is a table (CSV, TSV; needs --label-columns), ARFF (Mulan; needs --labels) or "
    "LIBSVM (needs --labels or\n--num-labels), also gzip, or a folder with files part-...; - reads "
    "the standard input (not for tables, which are read\ntwice). The encoding of a table, the "
    "constant and the scaling of the features become part of the file.";

constexpr const char* kMultiLabelConvertExamples =
    "Examples:\n"
    "  slackline multilabel convert reuters.svm.gz --num-labels 30 --out reuters.data\n"
    "  slackline multilabel train reuters.data --model r.slk\n"
    "  slackline multilabel convert tags.csv --label-columns 'tag_*' --out tags.data\n"
    "  slackline multilabel convert reuters.svm.gz --num-labels 30 --out reuters.parts --parts 4\n"
    "  zstdcat huge.svm.zst | slackline multilabel convert - --num-labels 30 --out huge.data\n"
    "  slackline multilabel convert reuters-test.svm.gz --for r.slk --out test.data";

struct MultiLabelConvertCommand {
  std::string data;
  std::string format = "auto";
  std::string labels_xml;
  std::string num_labels;
  TableFlags table;
  std::string constant = "1";
  ConversionFlags conversion;
};

MultiLabelReadOptions ReadOptionsOf(const MultiLabelConvertCommand& command) {
  MultiLabelReadOptions read;
  if (!command.conversion.model.empty()) {
    if (!command.labels_xml.empty() || !command.num_labels.empty() || command.table.given())
      throw DataError(
          "--for: the model knows the labels: leave --labels, --num-labels, --label-columns and "
          "--ignore-columns out");
    read = MultiLabelModel::Load(command.conversion.model).ReadOptions();
  } else {
    read.labels_xml = command.labels_xml;
    if (!command.num_labels.empty())
      read.num_labels = ReadCount("num-labels", command.num_labels, 1);
    read.constant = CheckChoice("bias", command.constant, {"0", "1"}) == 1;
    command.table.AddTo(&read);
  }
  read.format = ReadFormat(command.format);
  return read;
}

void Summarise(const MultiLabelConvertCommand& command, const Conversion& conversion) {
  const MultiLabelData& about = conversion.about;
  TellNotes(about.notes);
  SummariseConversion(
      command.conversion,
      {Count(conversion.num_examples, "example") + ", " + Count(about.num_features, "feature") +
           (about.has_constant ? " and a constant, " : ", ") + Count(about.num_labels(), "label"),
       conversion.bytes, conversion.num_files},
      *about.converted);
}

int RunMultiLabelConvert(const MultiLabelConvertCommand& command) {
  const ConversionFlags& flags = command.conversion;
  const ConvertedTarget target = flags.Target({command.data, command.labels_xml, flags.model});
  ConversionOptions options;
  options.read = ReadOptionsOf(command);
  options.scale = flags.scale.Read();
  options.windows = flags.Windows();
  Conversion conversion;
  return flags.Run(
      [&](const ConversionProgress& progress) {
        options.progress = progress;
        conversion = ConvertMultiLabelData(command.data, target, options);
      },
      [&] { Summarise(command, conversion); });
}

}  // namespace

void AddMultiLabelConvert(Command* parent, Action* action) {
  const auto [app, command] = AddCommand(
      parent, action, {"convert", kMultiLabelConvertDescription, kMultiLabelConvertExamples},
      RunMultiLabelConvert);
  app->AddArgument("DATA", &command->data, "data in text")->Required();
  RegisterFormat(app, &command->format);
  command->table.Register(app);
  AddTextOption(app, "labels", &command->labels_xml, "FILE.xml",
                "names of the labels (Mulan's XML)");
  AddTextOption(app, "num-labels", &command->num_labels, "N",
                "number of labels in LIBSVM data, where labels are numbered from 0");
  Option* constant =
      AddTextOption(app, "bias", &command->constant, "0|1", "add a constant feature", "1");
  command->conversion.Register(
      app,
      "convert for predictions of this model, or their evaluation: with its labels, features, "
      "constant and scaling");
  constant->Excludes("for");
}

}  // namespace slackline::internal::program
