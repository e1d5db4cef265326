// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/converted_data.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <slackline/apps/converted/converted_reader.h>
#include <slackline/apps/multilabel/tables/table_entries.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/record_deal.h>

namespace slackline::internal {
namespace {

const ConvertedKind& MultiLabelKind() {
  static const ConvertedKind kind{
      kConvertedMultiLabel,
      [](const ConvertedPart& part) { return static_cast<Index>(part.facts.label_names.size()); },
      nullptr};
  return kind;
}

/// What a part says about the data, without its examples.
MultiLabelData AboutOf(const ConvertedPart& part) {
  const ModelEntries& entries = part.entries;
  MultiLabelData about;
  about.label_names = part.facts.label_names;
  about.num_features = part.facts.num_features;
  about.has_constant = part.facts.has_constant;
  about.feature_names = entries.file().Strings("feature_names");
  entries.Require(
      about.feature_names.empty() || std::ssize(about.feature_names) == about.num_features,
      "feature_names");
  InputRecord input =
      LoadInputRecord(entries, about.num_features, about.feature_names, about.label_names);
  about.fill_values = std::move(input.fill_values);
  about.table = std::move(input.table);
  about.notes = part.facts.notes;
  about.converted = std::make_shared<const ConvertedValues>(part.facts.values);
  return about;
}

bool SameTable(const TableSchema* a, const TableSchema* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

/// Throws DataError unless the data are what the options ask for.
void CheckWanted(const std::string& source, const MultiLabelData& about,
                 const MultiLabelReadOptions& options) {
  const auto fail = [&](const std::string& message) { throw DataError(source, 0, message); };
  if (options.format != MultiLabelFormat::kAuto)
    fail("converted data, not " + std::string(Name(options.format)) + ": leave --format out");
  if (!options.label_columns.empty() || !options.ignore_columns.empty())
    fail(
        "--label-columns and --ignore-columns belong to tables (CSV, TSV), but these are "
        "converted data");
  if (about.has_constant != options.constant) {
    fail(about.has_constant
             ? "converted with a constant feature, which is not wanted here: convert the data "
               "again, with --bias 0"
             : "converted without a constant feature: pass --bias 0 here, or convert the data "
               "again, with --bias 1");
  }
  if (!options.labels_xml.empty()) {
    std::vector<std::string> given = ReadMulanLabelNames(options.labels_xml);
    std::vector<std::string> own = about.label_names;
    std::sort(given.begin(), given.end());
    std::sort(own.begin(), own.end());
    if (given != own) fail("has other labels than " + options.labels_xml);
  }
  if (!options.for_prediction()) return;
  const std::string again = ": convert the data again, with --for and this model";
  if (about.label_names != options.label_names) fail("has other labels than the model");
  if (!SameTable(about.table.get(), options.table.get()))
    fail("has other columns of a table than the model" + again);
  if (about.num_features != options.num_features)
    fail("has " + Count(about.num_features, "feature") + ", but the model has " +
         std::to_string(options.num_features) + again);
  if (about.feature_names != options.feature_names && !options.feature_names.empty())
    fail("has other features than the model" + again);
  if (!SameScaling(about.converted->scaling, options.scaling))
    fail("its values are scaled in another way than those that the model was trained on" + again);
}

/// Throws DataError unless all parts can be one data set.
MultiLabelData CommonOf(const ConvertedParts& parts) {
  MultiLabelData common = AboutOf(parts.first());
  for (std::size_t k = 1; k < parts.parts.size(); ++k) {
    const ConvertedPart& part = parts.parts[k];
    const MultiLabelData about = AboutOf(part);
    RequireAlike(parts, part, about.feature_names == common.feature_names, "features");
    RequireAlike(parts, part, about.fill_values == common.fill_values,
                 "replacements of missing values");
    RequireAlike(parts, part, SameTable(about.table.get(), common.table.get()),
                 "columns of a table");
    common.notes.insert(common.notes.end(), about.notes.begin(), about.notes.end());
  }
  return common;
}

/// Appends the example of a row. Returns whether its labels are valid.
bool AddExample(const ConvertedRow& row, MultiLabelData* data) {
  bool good = true;
  for (std::size_t i = 0; i < data->label_names.size(); ++i) {
    const auto label = static_cast<std::int8_t>(row.labels[i]);
    good = good && label >= -1 && label <= 1;
    data->labels.push_back(label);
  }
  if (row.path != data->source) data->files.Add(data->num_examples(), row.path);
  data->lines.push_back(row.number);
  return good;
}

}  // namespace

MultiLabelData ReadConverted(const std::string& path, const MultiLabelReadOptions& options) {
  Ranks& ranks = RanksOrOne(options.ranks);
  const std::vector<std::string> files = ConvertedFiles(ranks, path);
  MultiLabelData data;
  OnAllRanks(ranks, [&] {
    const ConvertedParts parts = OpenConverted(files, MultiLabelKind());
    data = CommonOf(parts);
    data.source = path;
    CheckWanted(path, data, options);
    const Index shards = options.shards > 0 ? options.shards : Index{ranks.size()};
    const Ranks::Piece mine = RecordsOfRank(ranks, parts.num_examples(), shards, ranks.rank());
    data.labels.reserve(Size(mine.size()) * data.label_names.size());
    data.lines.reserve(Size(mine.size()));
    ConvertedValues values;
    data.rows = LoadConvertedRows(
        parts, MultiLabelKind(), mine,
        [&](const ConvertedRow& row) { return AddExample(row, &data); }, &values);
    data.converted = std::make_shared<const ConvertedValues>(std::move(values));
  });
  return data;
}

void FinishConverted(const MultiLabelData& about, WindowChoice windows, ConvertedWriter* writer) {
  SLACKLINE_CHECK(about.converted != nullptr, "converted data need their scaling");
  ModelWriter directory;
  directory.Add("task", std::string(kConvertedMultiLabel));
  directory.Add("feature_names", about.feature_names);
  SaveInputRecord({about.fill_values, about.table}, &directory);
  writer->Finish({about.label_names, about.num_features, about.has_constant, *about.converted,
                  windows, about.notes, 0},
                 directory);
}

}  // namespace slackline::internal
