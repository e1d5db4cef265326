// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-label data sets from files: tables (CSV, TSV) with a header, Mulan's ARFF with its XML of
// label names, and LIBSVM's multi-label format. All may be compressed with gzip, and may come from
// the standard input (path "-").
//
// Tables: the first line names the columns; of comma, semicolon and tab, the separator is what it
// has most of. Values may stand in double quotes (csv_records.h). Some columns are labels
// (column_selection.h) with values 0, 1, true or false. All others, but for ignored ones, are
// features: a numeric column is one feature, a column of few different texts is one feature per
// text (column_collector.h), named column=text, in the order of the texts. At prediction columns
// are found by their names, in any order. Empty cells, NA, N/A, NaN (in any case) and ? are
// missing.
//
// LIBSVM: one example per line, `2,3 1:0.09 2:0.14`. Labels count from 0, features from 1 and
// strictly increase. A line that starts with a blank, or with index:value, has no labels; `?` as
// the only label means that no label is known. Text after # is ignored, and so are lines without
// any text.
//
// ARFF: the labels are attributes with values 0 and 1 (or ?, unknown), anywhere among the columns;
// all other attributes are features. A nominal feature whose values are all numbers counts as that
// number; any other becomes one feature per value, in the order of declaration (1 where the example
// has the value, else 0). Features are named like their attributes; those of a value,
// attribute=value. Rows may be dense or sparse; in sparse rows an attribute that is left out is 0
// or, when nominal, its first value (so ARFF defines it). The value ? is missing.
//
// Missing labels are unknown. Missing values of numeric features become the mean of the known
// values of training, those of categories (ARFF: nominal features with one feature per value) none:
// 0 for each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/multilabel/tables/table_schema.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/feature_scaling.h>

namespace slackline::internal {

enum class MultiLabelFormat { kAuto, kArff, kLibsvm, kCsv, kTsv };
std::string_view Name(MultiLabelFormat format);

struct MultiLabelData {
  std::string source;  ///< the file, for messages
  /// See ReadMultiLabelData for their order. LIBSVM without names: "0", "1", …
  std::vector<std::string> label_names;
  Index num_features = 0;                   ///< without the constant feature
  std::vector<std::string> feature_names;   ///< ARFF: one per feature, see below; LIBSVM: empty
  bool has_constant = false;                ///< then feature number num_features is 1 in every row
  std::shared_ptr<const FeatureRows> rows;  ///< one row per example
  std::vector<std::int8_t> labels;  ///< num_examples × num_labels by rows: 0, 1, or −1 (not known)
  std::vector<long> lines;          ///< line of each example in the file
  /// What stands for a missing value of each feature; empty where that is not known (LIBSVM).
  std::vector<double> fill_values;
  std::shared_ptr<const TableSchema> table;  ///< of data that were read as a table; else null
  /// What the reader noticed and did, a sentence each without a full stop: missing values and their
  /// place, columns and features left out, categories that training did not see.
  std::vector<std::string> notes;

  Index num_examples() const { return static_cast<Index>(lines.size()); }
  Index num_labels() const { return static_cast<Index>(label_names.size()); }
};

struct MultiLabelReadOptions {
  MultiLabelFormat format = MultiLabelFormat::kAuto;
  std::string labels_xml;  ///< Mulan XML; ARFF needs it for training
  Index num_labels = 0;    ///< LIBSVM needs it for training, unless labels_xml is given
  /// For prediction, instead of these two: the labels of the model, in its order.
  std::vector<std::string> label_names;
  Index num_features = -1;  ///< for prediction: the number of features of the model
  /// For prediction: the names of the model's features, where it has any. ARFF data must have the
  /// same in the same order; LIBSVM data have no names.
  std::vector<std::string> feature_names;
  bool append_constant = false;
  FeatureScaling
      scaling;  ///< for prediction: the model's, applied to all features but the constant
  /// For training on a table: which columns are labels, and which are left out
  /// (column_selection.h).
  std::string label_columns;
  std::string ignore_columns;
  /// For prediction: the columns of the model, where it was trained on a table.
  std::shared_ptr<const TableSchema> table;
  /// For prediction: what stands for missing values, one number per feature of the model; empty:
  /// not known.
  std::vector<double> fill_values;
  /// For prediction: features, columns and categories that the model does not know are errors, not
  /// notes.
  bool strict = false;
  /// For training: what the caller will need for every weight (label × feature, the constant
  /// included) and for every label of every example. LIBSVM data that would need more memory than
  /// there is are refused at the line that leads to it, before anything is allocated. 0 = no check.
  double bytes_per_weight = 0;
  double bytes_per_label_entry = 0;

  bool for_prediction() const { return !label_names.empty(); }
};

/// Reads a data set. kAuto finds the format from the first line that is neither blank nor a comment
/// (%): ARFF when it begins with @; a table when label columns are given, when the model was
/// trained on one, or when the line has commas, semicolons or tabs and is not LIBSVM (labels, then
/// index:value); else LIBSVM. Order of the labels: options.label_names where given; else for ARFF
/// and tables the order of the columns (which may differ from the XML's), for LIBSVM the order of
/// the XML. Throws DataError with file, line and token on any text that does not follow the format,
/// on values that are not finite numbers, or far too large after scaling, on labels other than 0, 1
/// and unknown, when the features are not the model's (tables: when some are not there), and on
/// data that are too large (see above). What the model does not know of a table or of LIBSVM data
/// is left out, with a note, unless options.strict.
MultiLabelData ReadMultiLabelData(const std::string& path, const MultiLabelReadOptions& options);

/// The data with these examples only, in this order.
MultiLabelData SelectExamples(const MultiLabelData& data, std::span<const Index> examples);

/// The label names of a Mulan XML file in document order. Nested labels (hierarchies) are
/// flattened, parents first; namespaces are ignored. Throws DataError when the file is not such
/// XML, has no labels, or names a label twice. *lines (may be null) becomes the line of each.
std::vector<std::string> ReadMulanLabelNames(const std::string& path,
                                             std::vector<long>* lines = nullptr);

}  // namespace slackline::internal
