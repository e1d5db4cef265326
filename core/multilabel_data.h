// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-label data sets from files: Mulan's ARFF with its XML of label names, and LIBSVM's multi-label
// format. Both may be compressed with gzip, and both may come from the standard input (path "-").
//
// LIBSVM: one example per line, `2,3 1:0.09 2:0.14`. Labels count from 0, features from 1 and strictly
// increase. A line that starts with a blank, or with index:value, has no labels; `?` as the only label means
// that no label is known. Text after # is ignored, and so are lines without any text.
//
// ARFF: the labels are attributes with values 0 and 1 (or ?, unknown), anywhere among the columns; all other
// attributes are features. A nominal feature whose values are all numbers counts as that number; any other
// becomes one feature per value, in the order of declaration (1 where the example has the value, else 0).
// Features are named like their attributes; those of a value, attribute=value.
// Rows may be dense or sparse; in sparse rows an attribute that is left out is 0 or, when nominal, its first
// value (so ARFF defines it).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <slackline/core/feature_rows.h>

namespace slackline {

struct MultiLabelData {
  std::string source;  ///< the file, for messages
  /// See ReadMultiLabelData for their order. LIBSVM without names: "0", "1", …
  std::vector<std::string> label_names;
  Index num_features = 0;                   ///< without the constant feature
  std::vector<std::string> feature_names;   ///< ARFF: one per feature, see below; LIBSVM: empty
  bool has_constant = false;                ///< then feature number num_features is 1 in every row
  std::shared_ptr<const FeatureRows> rows;  ///< one row per example
  std::vector<std::int8_t> labels;          ///< num_examples × num_labels by rows: 0, 1, or −1 (not known)
  std::vector<long> lines;                  ///< line of each example in the file

  Index num_examples() const { return static_cast<Index>(lines.size()); }
  Index num_labels() const { return static_cast<Index>(label_names.size()); }
};

struct MultiLabelReadOptions {
  std::string labels_xml;  ///< Mulan XML; ARFF needs it for training
  Index num_labels = 0;    ///< LIBSVM needs it for training, unless labels_xml is given
  /// For prediction, instead of these two: the labels of the model, in its order.
  std::vector<std::string> label_names;
  Index num_features = -1;  ///< for prediction: the number of features of the model
  /// For prediction: the names of the model's features, where it has any. ARFF data must have the same in the same
  /// order; LIBSVM data have no names.
  std::vector<std::string> feature_names;
  bool append_constant = false;
  /// For training: what the caller will need for every weight (label × feature, the constant included) and for every
  /// label of every example. LIBSVM data that would need more memory than there is are refused at the line that leads
  /// to it, before anything is allocated. 0 = no check.
  double bytes_per_weight = 0;
  double bytes_per_label_entry = 0;
};

/// Reads a data set; the format is found from the content: ARFF when the first line that is neither blank nor
/// a comment (%) begins with @, else LIBSVM. Order of the labels: options.label_names where given; else for
/// ARFF the order of its columns (which may differ from the XML's), for LIBSVM the order of the XML.
/// Throws DataError with file, line and token on any text that does not follow the format, on values that are
/// not finite numbers, on missing feature values, on labels other than 0, 1 and ?, when the number of
/// features is not the model's (LIBSVM: is larger than the model's), on features with other names than the
/// model's, and on data that are too large (see above).
MultiLabelData ReadMultiLabelData(const std::string& path, const MultiLabelReadOptions& options);

/// The label names of a Mulan XML file in document order. Nested labels (hierarchies) are flattened, parents
/// first; namespaces are ignored. Throws DataError when the file is not such XML, has no labels, or names a
/// label twice. *lines (may be null) becomes the line of each.
std::vector<std::string> ReadMulanLabelNames(const std::string& path, std::vector<long>* lines = nullptr);

}  // namespace slackline
