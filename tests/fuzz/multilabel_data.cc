// SPDX-License-Identifier: BSD-3-Clause
//
// Data of multi-label problems: tables, ARFF, LIBSVM, and Mulan's XML of label names.
#include <slackline/apps/multilabel/data/multilabel_data.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/apps/multilabel/tables/column_selection.h>
#include <slackline/apps/multilabel/tables/csv_records.h>
#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>

#include "tests/fuzz/target.h"

namespace slackline::internal::fuzz {
namespace {

constexpr std::string_view kLabels =
    "<labels><label name=\"a\"/><label name=\"b c\"><label name=\"d\"/></label></labels>";

/// Reads data for a model, all at once and one example after the other, and compares the results.
void ReadForModel(const std::string& path, const MultiLabelReadOptions& options) {
  const MultiLabelData whole = ReadMultiLabelData(path, options);
  LineReader lines(path);
  const auto reader = OpenMultiLabelData(&lines, options);
  Index m = 0;
  for (; reader->Next(); ++m, reader->Forget()) {
    const MultiLabelData& data = reader->Examples();
    if (data.num_examples() != 1 || m >= whole.num_examples())
      throw std::logic_error("not one example after the other");
    const FeatureRow one = data.rows->row(0);
    const FeatureRow row = whole.rows->row(m);
    const bool same =
        data.lines[0] == whole.lines[m] && one.dense() == row.dense() &&
        std::equal(one.values, one.values + one.count, row.values, row.values + row.count) &&
        (options.classes
             ? data.classes[0] == whole.classes[m]
             : std::equal(data.labels.begin(), data.labels.end(),
                          whole.labels.begin() + std::ptrdiff_t{m} * whole.num_labels()));
    if (!same) throw std::logic_error("an example differs from that of the whole file");
  }
  if (m != whole.num_examples() || reader->Notes() != whole.notes)
    throw std::logic_error("examples or notes are missing");
}

/// Reads the text as in training and as in prediction.
void ReadArffText(std::string_view text) {
  const std::string path = PathOf(text);
  MultiLabelReadOptions options;
  options.labels_xml = PathOf(kLabels, 1);
  options.constant = true;
  const MultiLabelData data = ReadMultiLabelData(path, options);
  MultiLabelReadOptions again;
  again.label_names = data.label_names;
  again.num_features = data.num_features;
  again.feature_names = data.feature_names;
  again.fill_values = data.fill_values;
  ReadForModel(path, again);
}

void ReadLibsvmText(std::string_view text) {
  const std::string path = PathOf(text);
  MultiLabelReadOptions options;
  options.num_labels = 3;
  options.bytes_per_weight = 8;
  options.bytes_per_label_entry = 8;
  const MultiLabelData data = ReadMultiLabelData(path, options);
  MultiLabelReadOptions again;
  again.label_names = data.label_names;
  again.num_features = 5;
  ReadForModel(path, again);
}

/// Reads a table whose last column is a label: for training, for prediction, and without options.
void ReadTable(std::string_view text) {
  const std::string path = PathOf(text);
  MultiLabelReadOptions options;
  options.label_columns = "-1";
  options.constant = true;
  options.bytes_per_weight = 8;
  options.bytes_per_label_entry = 8;
  const MultiLabelData data = ReadMultiLabelData(path, options);
  MultiLabelReadOptions again;
  again.label_names = data.label_names;
  again.num_features = data.num_features;
  again.feature_names = data.feature_names;
  again.table = data.table;
  again.fill_values = data.fill_values;
  if (data.table) ReadForModel(path, again);
  options.label_columns.clear();
  options.format = MultiLabelFormat::kCsv;
  ReadMultiLabelData(path, options);
}

/// Reads examples with one class each: LIBSVM, or a table whose last column has the classes.
void ReadClasses(std::string_view text) {
  const std::string path = PathOf(text);
  for (const char* column : {"", "-1"}) {
    MultiLabelReadOptions options;
    options.classes = true;
    options.label_columns = column;
    options.bytes_per_weight = 8;
    options.bytes_per_label_entry = 8;
    try {
      const MultiLabelData data = ReadMultiLabelData(path, options);
      MultiLabelReadOptions again;
      again.classes = true;
      again.label_names = data.label_names;
      again.class_column = data.class_column;
      again.num_features = data.num_features;
      again.feature_names = data.feature_names;
      again.table = data.table;
      if (again.for_prediction()) ReadForModel(path, again);
    } catch (const DataError&) {
      if (*column != '\0') throw;
    }
  }
}

/// The first line is a list of columns, the second the header from which it selects.
void ReadColumnList(std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string names(text.substr(std::min(end + 1, text.size())));
  SelectColumns("--label-columns", std::string(text.substr(0, end)), SplitCsvText(names));
}

void ReadLabelNames(std::string_view text) {
  std::vector<long> lines;
  ReadMulanLabelNames(PathOf(text), &lines);
}

const FuzzTarget kArff({"arff", ReadArffText});
const FuzzTarget kLibsvm({"libsvm", ReadLibsvmText});
const FuzzTarget kCsv({"csv", ReadTable});
const FuzzTarget kClasses({"classes", ReadClasses});
const FuzzTarget kColumns({"column_list", ReadColumnList});
const FuzzTarget kXml({"labels_xml", ReadLabelNames});

}  // namespace
}  // namespace slackline::internal::fuzz
