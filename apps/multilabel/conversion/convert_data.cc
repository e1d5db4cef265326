// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/conversion/convert_data.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <slackline/apps/converted/text_pieces.h>
#include <slackline/apps/converted/unchanged_source.h>
#include <slackline/apps/multilabel/data/converted_data.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/apps/training/converted_scaling.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// Stands for the column of the constant until the number of features is known.
constexpr Index kLateColumn = std::numeric_limits<Index>::max() - 1;

/// A table to train on, which is read twice: for its columns, then for its rows.
class TableColumns {
 public:
  TableColumns(const std::string& path, const ConversionOptions& options)
      : source_(path, "a table (CSV, TSV) is read twice") {
    MultiLabelReadOptions read = options.read;
    read.columns_only = true;
    const MultiLabelInput input = OpenMultiLabelInput(path, read);
    for (Index row = 0; input.reader->Next(); ++row) {
      if (row % kRowsPerCall == 0) options.progress("reading columns", row);
    }
    about_ = input.reader->Finish();
  }

  const MultiLabelData& about() const { return about_; }

  /// Rows are read by the names of columns, as in a table for a model's predictions.
  MultiLabelReadOptions RowOptions(const MultiLabelReadOptions& training) const {
    MultiLabelReadOptions read;
    read.format = training.format;
    read.separator = training.separator;
    read.label_names = about_.label_names;
    read.num_features = about_.num_features;
    read.feature_names = about_.feature_names;
    read.constant = training.constant;
    read.table = about_.table;
    read.fill_values = about_.fill_values;
    return read;
  }

  void CheckUnchanged() const { source_.Check(); }

 private:
  const UnchangedSource source_;
  MultiLabelData about_;
};

class Converter {
 public:
  Converter(const std::string& path, const ConvertedTarget& target,
            const ConversionOptions& options)
      : options_(options), target_(target), read_(options.read) {
    // The standard input cannot be read twice, as tables are.
    const bool table = path == "-" ? !options.read.label_columns.empty()
                                   : !for_prediction() && IsTableFile(path, options.read);
    if (!for_prediction() && table) {
      table_.emplace(path, options);
      read_ = table_->RowOptions(options.read);
    }
    input_ = OpenMultiLabelInput(path, read_);
  }

  Conversion Convert() {
    WriteExamples();
    Conversion result;
    result.about = input_.reader->Finish();
    MultiLabelData& about = result.about;
    if (table_) {
      table_->CheckUnchanged();
      about.notes = table_->about().notes;
    }
    ConvertedValues values;
    if (for_prediction()) {
      values.scaling = options_.read.scaling;
    } else {
      if (any_missing_) FillIn(about);
      values = LearnScaling(about);
      values.options = {{"scale", std::string(ScaleName(options_.scale))},
                        {"label-columns", options_.read.label_columns},
                        {"ignore-columns", options_.read.ignore_columns}};
    }
    about.converted = std::make_shared<ConvertedValues>(std::move(values));
    options_.progress("writing", writer_->num_examples());
    FinishConverted(about, options_.windows, writer_.get());
    result.num_examples = writer_->num_examples();
    result.bytes = writer_->bytes();
    result.num_files = writer_->num_files();
    return result;
  }

 private:
  bool for_prediction() const { return options_.read.for_prediction(); }

  void WriteExamples() {
    TextPieces pieces;
    while (input_.reader->Next()) {
      const Offset at = input_.lines->next_begin();
      if (!pieces.Add(at)) continue;
      pieces.Begin(at);
      WriteWaiting();
    }
    WriteWaiting();
    writer_->EndExamples();
  }

  /// Writes the examples that the reader has, and makes it forget them.
  void WriteWaiting() {
    MultiLabelReader& reader = *input_.reader;
    const MultiLabelData& data = for_prediction() ? reader.Examples() : reader.ExamplesAsRead();
    if (writer_ == nullptr) writer_ = std::make_unique<ConvertedWriter>(target_, data.num_labels());
    const std::size_t labels = data.label_names.size();
    auto missing = reader.Missing().begin();
    const auto end = reader.Missing().end();
    for (Index r = 0; r < data.rows->size(); ++r) {
      FeatureRow row = data.rows->row(r);
      values_.assign(row.values, row.values + row.count);
      row.values = values_.data();
      if (!row.dense()) {
        columns_.assign(row.columns, row.columns + row.count);
        if (data.has_constant && !for_prediction()) columns_.back() = kLateColumn;
        // Not null, even where there are none.
        columns_.reserve(1);
        row.columns = columns_.data();
      }
      for (; missing != end && missing->row == r; ++missing) MarkMissing(row, missing->feature);
      writer_->Add(row, LabelBytes(std::span(data.labels).subspan(Size(r) * labels, labels)));
    }
    reader.Forget();
    options_.progress("reading", writer_->num_examples());
  }

  void MarkMissing(const FeatureRow& row, Index feature) {
    any_missing_ = true;
    const std::ptrdiff_t at =
        row.dense() ? feature
                    : std::lower_bound(row.columns, row.columns + row.count, feature) - row.columns;
    values_[Size(at)] = std::numeric_limits<double>::quiet_NaN();
  }

  void FillIn(const MultiLabelData& about) {
    ChangeRows("filling in", options_.progress, writer_.get(),
               [&](std::span<Index> columns, std::span<double> values) {
                 for (std::size_t k = 0; k < values.size(); ++k) {
                   if (!std::isnan(values[k])) continue;
                   values[k] = about.fill_values[columns.empty() ? k : Size(columns[k])];
                 }
               });
  }

  ConvertedValues LearnScaling(const MultiLabelData& about) const {
    return ScaleConverted(
        options_.scale,
        {about.source, nullptr, about.num_features, FeatureNames(about.feature_names)},
        about.has_constant, options_.progress, writer_.get());
  }

  const ConversionOptions& options_;
  const ConvertedTarget target_;
  MultiLabelReadOptions read_;  // of the pass that writes
  std::optional<TableColumns> table_;
  MultiLabelInput input_;
  std::unique_ptr<ConvertedWriter> writer_;
  bool any_missing_ = false;
  std::vector<double> values_;
  std::vector<Index> columns_;
};

}  // namespace

Conversion ConvertMultiLabelData(const std::string& path, const ConvertedTarget& target,
                                 const ConversionOptions& options) {
  return Converter(path, target, options).Convert();
}

}  // namespace slackline::internal
