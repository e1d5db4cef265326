// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/conversion/convert_data.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include <slackline/apps/multilabel/data/converted_writer.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/apps/training/input_scaling.h>
#include <slackline/core/check.h>

namespace slackline::internal {
namespace {

/// Stands for the column of the constant until the number of features is known.
constexpr Index kLateColumn = std::numeric_limits<Index>::max() - 1;
/// Examples are written when this much text has been read, …
constexpr Offset kTextBytes = Offset{1} << 20;
/// … or so many of them.
constexpr Index kMostExamples = 1024;
/// Rows between two calls of ConversionOptions::progress.
constexpr Index kRowsPerCall = 1024;

class Converter {
 public:
  Converter(const std::string& path, const std::string& out, const ConversionOptions& options)
      : options_(options), input_(OpenMultiLabelInput(path, options.read)), out_(out) {
    if (!for_prediction() && !input_.reader->streams_training())
      throw DataError(input_.lines->name(), 0,
                      "a table (CSV, TSV) cannot be converted, since only the whole table tells "
                      "what its columns are: convert ARFF or LIBSVM data");
  }

  Conversion Convert() {
    WriteExamples();
    Conversion result;
    result.about = input_.reader->Finish();
    MultiLabelData& about = result.about;
    auto values = std::make_shared<ConvertedValues>();
    if (for_prediction()) {
      values->scaling = options_.read.scaling;
    } else {
      if (any_missing_) FillIn(about);
      ChosenScaling chosen = LearnScaling(about);
      Scale(about, chosen.scaling);
      *values = {std::move(chosen.scaling), std::move(chosen.line), std::move(chosen.warnings), 0};
    }
    about.converted = std::move(values);
    options_.progress("writing", writer_->num_examples());
    writer_->Finish(about, options_.windows);
    result.num_examples = writer_->num_examples();
    result.bytes = writer_->bytes();
    return result;
  }

 private:
  bool for_prediction() const { return options_.read.for_prediction(); }

  void WriteExamples() {
    Offset written = 0;  // bytes of the text
    Index waiting = 0;
    while (input_.reader->Next()) {
      ++waiting;
      const Offset at = input_.lines->next_begin();
      // The places of a new file count from 0.
      if (waiting < kMostExamples && at >= written && at - written < kTextBytes) continue;
      written = at;
      waiting = 0;
      WriteWaiting();
    }
    WriteWaiting();
    writer_->EndExamples();
  }

  /// Writes the examples that the reader has, and makes it forget them.
  void WriteWaiting() {
    MultiLabelReader& reader = *input_.reader;
    const MultiLabelData& data = for_prediction() ? reader.Examples() : reader.ExamplesAsRead();
    if (writer_ == nullptr) writer_ = std::make_unique<ConvertedWriter>(out_, data.num_labels());
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
      writer_->Add(row, std::span(data.labels).subspan(Size(r) * labels, labels));
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

  /// Calls change(columns, values) for every row.
  template <class Function>
  void ChangeRows(std::string_view stage, const Function& change) {
    Index row = 0;
    writer_->Change([&](std::span<Index> columns, std::span<double> values) {
      if (row % kRowsPerCall == 0) options_.progress(stage, row);
      ++row;
      change(columns, values);
    });
  }

  void FillIn(const MultiLabelData& about) {
    ChangeRows("filling in", [&](std::span<Index> columns, std::span<double> values) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (!std::isnan(values[k])) continue;
        values[k] = about.fill_values[columns.empty() ? k : Size(columns[k])];
      }
    });
  }

  ChosenScaling LearnScaling(const MultiLabelData& about) const {
    options_.progress("learning scales", writer_->num_examples());
    return ChooseScaling(options_.scale,
                         {about.source, writer_->Rows(), about.num_features, [&](Index feature) {
                            return about.feature_names.empty() ? std::to_string(feature + 1)
                                                               : about.feature_names[Size(feature)];
                          }});
  }

  void Scale(const MultiLabelData& about, const FeatureScaling& scaling) {
    if (!about.has_constant && !scaling.active()) return;
    try {
      ChangeRows("scaling", [&](std::span<Index> columns, std::span<double> values) {
        if (columns.empty()) {
          scaling.ScaleDense(values, about.num_features);
          return;
        }
        if (about.has_constant) columns.back() = about.num_features;
        scaling.ScaleSparse(columns, values, about.num_features);
      });
    } catch (const ScaleError& error) {
      throw DataError(about.source, 0, std::string("--scale: ") + error.what());
    }
  }

  const ConversionOptions& options_;
  MultiLabelInput input_;
  const std::string out_;
  std::unique_ptr<ConvertedWriter> writer_;
  bool any_missing_ = false;
  std::vector<double> values_;
  std::vector<Index> columns_;
};

}  // namespace

Conversion ConvertMultiLabelData(const std::string& path, const std::string& out,
                                 const ConversionOptions& options) {
  return Converter(path, out, options).Convert();
}

}  // namespace slackline::internal
