// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-label data sets from files: tables (CSV, TSV) with a header, Mulan's ARFF with its XML of
// label names, and LIBSVM's multi-label format. All may be compressed with gzip, and may come from
// the standard input (path "-"). They may also be a folder with files part-… (core/data_source.h),
// each with its head: all of them have the same declarations (ARFF) or the same header (tables).
// Several ranks read such data together (core/record_deal.h).
// Converted data (converted_data.h) are recognised by their first bytes.
//
// Tables: the first line names the columns (after a line such as sep=;), between commas, semicolons
// or tabs (csv_header.h). Values may stand in double quotes (csv_records.h). Some columns are
// labels (column_selection.h) with words for yes and no (label_words.h). All others except ignored
// ones are features: a numeric column is one feature; a column with few different texts is one
// feature per text (column_collector.h), named column=text, in the order of the texts. Prediction
// finds columns by their names, in any order. Empty cells, NA, N/A, NaN (in any case) and ? are
// missing.
//
// LIBSVM: one example per line, `2,3 1:0.09 2:0.14`. Labels count from 0, features from 1 in
// strictly ascending order. A line that starts with a blank, or with index:value, has no labels;
// `?` as the only label means that no label is known. Text after # and lines without text are
// ignored.
//
// ARFF: the labels are attributes with two values, of which one means no (or ?, unknown), anywhere
// among the columns. They are named by an XML file, by label_columns, or by -C N in the relation.
// All other attributes but ignored ones are features; for a model, attributes that it does not know
// are left out. A nominal feature whose values are all numbers has that number as value; any other
// becomes one feature per value, in the order of declaration (1 where the example has the value,
// else 0). A feature has the name of its attribute, or attribute=value. Rows may be dense or
// sparse. An attribute that a sparse row omits is 0 or, if it is nominal, has its first value, as
// ARFF defines. The value ? is missing.
//
// With options.classes, every example has one class instead of labels. Classes are texts as they
// stand (class_column.h). LIBSVM: the class comes first, `7 1:0.09 2:0.14`; it is not known where
// the line has none. Tables: one column has the classes. ARFF and converted data have no classes.
// With options.numbers, the class of an example is a number, and its value counts.
//
// Missing labels are unknown. A missing value of a numeric feature becomes the mean of the known
// values in training. A missing value of a categorical feature (ARFF: a nominal feature with one
// feature per value) means 0 for each category.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <slackline/apps/converted/converted_values.h>
#include <slackline/apps/multilabel/tables/table_schema.h>
#include <slackline/core/data_source.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/feature_scaling.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/ranks.h>

namespace slackline::internal {

enum class MultiLabelFormat { kAuto, kArff, kLibsvm, kCsv, kTsv };
std::string_view Name(MultiLabelFormat format);

struct MultiLabelData {
  std::string source;  ///< the file or folder, for messages
  /// The labels in the order of ReadMultiLabelData. LIBSVM data without names: "0", "1", … With
  /// classes: the names of the model's classes, then of the classes unknown to it.
  std::vector<std::string> label_names;
  Index num_features = 0;                   ///< without the constant feature
  std::vector<std::string> feature_names;   ///< ARFF: one per feature, see below; LIBSVM: empty
  bool has_constant = false;                ///< if so, feature num_features is 1 in every row
  std::shared_ptr<const FeatureRows> rows;  ///< one row per example
  std::vector<std::int8_t> labels;  ///< num_examples × num_labels by rows: 0, 1, or −1 (unknown)
  /// With classes, the class of each example, or kUnlabelled; there are no `labels` then.
  std::vector<Index> classes;
  /// With numbers, the number of each example, or NaN where it is not known.
  std::vector<double> numbers;
  std::string class_column;  ///< of a table with classes: its name
  std::vector<long> lines;   ///< line number of each example in its file
  FilePlaces files;          ///< of a folder: the file of each example
  /// The replacement of a missing value of each feature; empty if unknown (LIBSVM).
  std::vector<double> fill_values;
  std::shared_ptr<const TableSchema> table;  ///< of data read from a table; else null
  /// Set for converted data (converted_data.h), whose values are scaled already; else null.
  std::shared_ptr<const ConvertedValues> converted;
  /// What the reader noticed, one sentence each without a full stop: missing values and their
  /// replacements, ignored columns and features, categories that training did not have.
  std::vector<std::string> notes;

  Index num_examples() const { return static_cast<Index>(lines.size()); }
  Index num_labels() const { return static_cast<Index>(label_names.size()); }
  const std::string& FileOf(Index example) const { return files.FileOf(example, source); }
};

struct MultiLabelReadOptions {
  MultiLabelFormat format = MultiLabelFormat::kAuto;
  std::string labels_xml;  ///< Mulan XML; ARFF needs it for training
  Index num_labels = 0;    ///< LIBSVM needs it for training, unless labels_xml is given
  /// For prediction, instead of the two members above: the labels of the model, in its order.
  std::vector<std::string> label_names;
  Index num_features = -1;  ///< for prediction: the number of features of the model
  /// For prediction: the names of the model's features, if it has any. ARFF data must have the same
  /// names in the same order; LIBSVM data have none.
  std::vector<std::string> feature_names;
  bool constant = false;
  /// Whether every example has one class instead of labels.
  bool classes = false;
  /// With classes: whether they are numbers to be predicted (each has its own value), not texts.
  /// One process only.
  bool numbers = false;
  /// For prediction with classes on a table: the column of the classes, which it need not have.
  std::string class_column;
  FeatureScaling
      scaling;  ///< for prediction: the model's, applied to all features but the constant
  /// For training on a table: the columns that are labels (or the column of the classes), and the
  /// columns to leave out (column_selection.h).
  std::string label_columns;
  std::string ignore_columns;
  /// For training on a table, instead of label_columns: the column that lists the labels of each
  /// row (label_lists.h), and what separates them.
  std::string labels_in;
  char list_separator = ';';
  char separator = '\0';  ///< of a table; '\0': found from the first line
  /// For training on a table: columns whose texts are categories, even if they are numbers
  /// (column_selection.h), and whether 1,5 and 1.234,5 are numbers (number_form.h).
  std::string categories;
  bool decimal_comma = false;
  /// For training on a table, on one rank: only its columns are wanted. The data then have neither
  /// rows nor labels, and need memory for the columns alone.
  bool columns_only = false;
  /// For prediction: the columns of the model, if it was trained on a table.
  std::shared_ptr<const TableSchema> table;
  /// For prediction: the replacements of missing values, one per feature of the model; empty:
  /// unknown, and numbers of a table must not be missing.
  std::vector<double> fill_values;
  /// For prediction: whether features, columns and categories unknown to the model are errors
  /// instead of notes.
  bool strict = false;
  /// For training: the bytes that the caller needs for every weight (label × feature, including the
  /// constant) and for every label of every example. LIBSVM data that need more memory than there
  /// is are rejected at the line that causes it, before anything is allocated. 0 = no check.
  double bytes_per_weight = 0;
  double bytes_per_label_entry = 0;
  /// The ranks that read the data together, each its own examples; null: this process alone.
  /// `shards` P: how the examples are dealt (DealRecords); 0 = one shard per rank.
  Ranks* ranks = nullptr;
  Index shards = 0;
  /// The memory that these bytes must fit into; null: SharedMemory of the ranks.
  std::optional<MemoryShare> memory = std::nullopt;

  MemoryShare the_memory() const { return memory ? *memory : MemoryShare{UsableMemory(), 1}; }
  bool for_prediction() const { return !label_names.empty(); }
};

/// Reads a data set. kAuto determines the format from the first line that is neither blank nor a
/// comment (%): ARFF if it begins with @; a table if label columns are given, if the model was
/// trained on a table, or if the line has commas, semicolons or tabs and is not LIBSVM (labels,
/// then index:value); else LIBSVM. Labels are in the order of options.label_names if given; else
/// for ARFF and tables in the order of the columns (which may differ from the XML's), for LIBSVM in
/// the order of the XML. Throws DataError with file, line and token on text that violates the
/// format; on values that are not finite, or far too large after scaling; on labels other than 0, 1
/// and unknown; on features other than the model's (tables: missing ones); and on data that are too
/// large (see above). Unless options.strict, unknown parts of a table or of LIBSVM data are left
/// out, and classes unknown to the model are added to its classes, with a note.
///
/// With several ranks, all must call this function, and each gets its own examples. Everything
/// else, errors included, is the same on all ranks as if one rank had read the data; but the memory
/// of labels is computed for the examples of a rank. With fewer examples than ranks, some ranks get
/// none.
MultiLabelData ReadMultiLabelData(const std::string& path, const MultiLabelReadOptions& options);

/// Whether ReadMultiLabelData would read the data as a table. Throws DataError as it does.
bool IsTableFile(const std::string& path, const MultiLabelReadOptions& options);

/// Copies of examples of data with the same labels and features, without their names and notes.
class ExampleCollector {
 public:
  /// For data that may have no examples; otherwise the first Add begins.
  void Begin(const MultiLabelData& data);
  void Add(const MultiLabelData& data, Index m);
  Index size() const { return data_.num_examples(); }
  /// The examples in the order of Add; the collector then begins again.
  MultiLabelData Take();

 private:
  MultiLabelData data_;
  std::shared_ptr<FeatureRows> rows_;  // null: not begun
};

/// The data restricted to these examples, in this order.
MultiLabelData SelectExamples(const MultiLabelData& data, std::span<const Index> examples);

/// The label names of a Mulan XML file in document order. Nested labels (hierarchies) are
/// flattened, parents first; namespaces are ignored. Throws DataError when the file is not such
/// XML, has no labels, or names a label twice. *lines (may be null) becomes the line of each name.
std::vector<std::string> ReadMulanLabelNames(const std::string& path,
                                             std::vector<long>* lines = nullptr);

}  // namespace slackline::internal
