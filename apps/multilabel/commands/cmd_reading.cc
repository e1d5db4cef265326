// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/commands/cmd_reading.h>

#include <optional>

#include <slackline/apps/cli/cmd_ranks.h>
#include <slackline/apps/multilabel/label_counts.h>
#include <slackline/core/check.h>
#include <slackline/core/quoted.h>

namespace slackline::internal::program {

void RegisterFormat(Command* app, std::string* format) {
  AddTextOption(app, "format", format, "auto|arff|libsvm|csv|tsv",
                "format of DATA; auto decides by the first line", "auto")
      ->SetAudience(Audience::kCommand);
}

MultiLabelFormat ReadFormat(const std::string& format) {
  return ReadChoice("format", format,
                    {MultiLabelFormat::kAuto, MultiLabelFormat::kArff, MultiLabelFormat::kLibsvm,
                     MultiLabelFormat::kCsv, MultiLabelFormat::kTsv});
}

void RegisterStrict(Command* app, bool* strict) {
  app->AddFlag("--strict", strict,
               "refuse columns, categories and features that the model does not know");
}

void TableFlags::Register(Command* app) {
  AddTextOption(
      app, "label-columns", &label_columns, "LIST",
      "columns that are labels: names, patterns (tag_*), positions (3; -1: the last one) or ranges "
      "of them (2:5; -3: for the last three), separated by commas");
  AddTextOption(app, "ignore-columns", &ignore_columns, "LIST",
                "columns that are neither labels nor features, in the same notation")
      ->SetAudience(Audience::kCommand);
  AddTextOption(app, "labels-in", &labels_in, "COLUMN[:C]",
                "the column that lists the labels of each row, with C between them: sky;sea")
      ->SetAudience(Audience::kCommand);
  cells.Register(app);
}

void TableFlags::AddTo(MultiLabelReadOptions* options) const {
  options->label_columns = label_columns;
  options->ignore_columns = ignore_columns;
  if (!labels_in.empty()) {
    if (!label_columns.empty())
      throw DataError("--labels-in: pass either this option or --label-columns, not both");
    options->labels_in = labels_in;
    if (const std::size_t at = labels_in.size() - 2; labels_in.size() > 2 && labels_in[at] == ':') {
      options->labels_in = labels_in.substr(0, at);
      options->list_separator = labels_in.back();
    }
  }
  cells.SetIn(options);
}

void ReadingFlags::Register(Command* app) {
  RegisterFormat(app, &format);
  RegisterSeparator(app, &separator);
  RegisterStrict(app, &strict);
  AddTextOption(app, "label-counts", &label_counts, "auto|any|MIN-MAX",
                "number of labels of a prediction. auto: as the model was trained. any: no bounds. "
                "MIN-MAX: from MIN to MAX",
                "auto");
}

MultiLabelModel ReadingFlags::Load(const std::string& path) const {
  const std::optional<CountRange> counts = ParseLabelCounts(label_counts);
  MultiLabelModel model = MakeOnAllRanks([&] { return MultiLabelModel::Load(path); });
  if (counts && !counts->Fits(model.num_labels())) {
    throw DataError("--label-counts: " + Quoted(label_counts) + ", but the model has " +
                    Count(model.num_labels(), "label"));
  }
  if (counts) model.set_label_counts(*counts);
  return model;
}

MultiLabelReadOptions ReadingFlags::OptionsFor(const MultiLabelModel& model) const {
  MultiLabelReadOptions options = model.ReadOptions();
  options.format = ReadFormat(format);
  options.separator = ReadSeparator(separator);
  options.strict = strict;
  options.ranks = &ProcessRanks();
  return options;
}

MultiLabelData ReadingFlags::Read(const std::string& path, const MultiLabelModel& model) const {
  return ReadMultiLabelData(path, OptionsFor(model));
}

}  // namespace slackline::internal::program
