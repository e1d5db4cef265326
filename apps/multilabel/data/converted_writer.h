// SPDX-License-Identifier: BSD-3-Clause
//
// Writes files of converted data (converted_data.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <slackline/apps/multilabel/data/converted_data.h>
#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/core/feature_rows.h>

namespace slackline::internal {

/// Writes a file of converted data: the examples, in one pass; then changes of their rows, in any
/// number of passes; then what is known of all of them. The file appears complete, or not at all
/// (AtomicFile). Memory: a few megabytes, an example, and what Rows() takes. Throws DataError when
/// the disk refuses, for example because it is full.
class ConvertedWriter {
 public:
  ConvertedWriter(const std::string& path, Index num_labels);
  ~ConvertedWriter();
  ConvertedWriter(const ConvertedWriter&) = delete;
  ConvertedWriter& operator=(const ConvertedWriter&) = delete;

  /// Appends an example with num_labels labels. Values may be NaN until a change replaces them.
  void Add(const FeatureRow& row, std::span<const std::int8_t> labels);
  void EndExamples();

  /// After EndExamples, the rows as they are. Requires that all of their values are finite.
  std::shared_ptr<const FeatureRows> Rows() const;
  /// Calls change(columns, values) for every row, in their order; columns are empty in a dense row.
  /// Both may be changed in place.
  using RowChange = std::function<void(std::span<Index> columns, std::span<double> values)>;
  void Change(const RowChange& change);

  /// `about`: names, numbers, notes and `converted` of the data; its examples do not count.
  void Finish(const MultiLabelData& about, WindowChoice windows);

  Index num_examples() const;
  /// Bytes of the examples in the file.
  std::uint64_t bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace slackline::internal
