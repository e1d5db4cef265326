// SPDX-License-Identifier: BSD-3-Clause
//
// Writes files of converted data (docs/reference/converted_file.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <slackline/apps/converted/converted_values.h>
#include <slackline/core/feature_rows.h>
#include <slackline/core/model_file.h>

namespace slackline::internal {

/// Called now and then during a conversion, with the name of the stage and the number of examples
/// so far. An exception from it ends the conversion.
using ConversionProgress = std::function<void(std::string_view stage, Index examples)>;

/// Where converted data go.
struct ConvertedTarget {
  std::string path;
  /// 0: one file. Else a new folder with this many files part-… of about equal numbers of bytes
  /// (with fewer files where there are fewer blocks).
  Index parts = 0;
};

/// Writes converted data: first the examples, in one pass; then changes of their rows, in any
/// number of passes; then what is known of all of them. The file or the folder appears complete, or
/// not at all (AtomicFile, AtomicFolder). The disk needs room for the data, and with parts also for
/// one more part. Memory: a few megabytes, an example, and what Rows() takes. Throws DataError when
/// the disk refuses, for example because it is full.
///
/// Where all values of a block's sparse rows are 1, the rows share the values and take 4 bytes per
/// value, not 12. A change of rows that ends or begins this sharing moves the rows to a new file:
/// the disk then needs room for both.
class ConvertedWriter {
 public:
  /// label_bytes: the number of label bytes of every row, or kLabelsVary.
  ConvertedWriter(const ConvertedTarget& target, Index label_bytes);
  ~ConvertedWriter();
  ConvertedWriter(const ConvertedWriter&) = delete;
  ConvertedWriter& operator=(const ConvertedWriter&) = delete;

  /// Appends a row with its labels. begins_example: the row is the first of an example, as the
  /// first row of all must be. Values may be NaN until a change replaces them.
  void Add(const FeatureRow& row, std::string_view labels, bool begins_example = true);
  void EndExamples();

  /// After EndExamples, the rows as they are. Requires that all of their values are finite.
  std::shared_ptr<const FeatureRows> Rows() const;
  /// Calls change(columns, values) for every row, in their order; columns are empty in a dense row.
  /// Both may be changed in place.
  using RowChange = std::function<void(std::span<Index> columns, std::span<double> values)>;
  void Change(const RowChange& change);

  /// directory: the entries of the application, with "task". Notes and unknown features go to the
  /// first part.
  void Finish(const ConvertedFacts& facts, const ModelWriter& directory);

  Index num_examples() const;
  /// Bytes of the examples in the file.
  std::uint64_t bytes() const;
  /// After Finish: the number of files.
  Index num_files() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slackline::internal
