// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the examples of a multi-label file one after the other. Reading whole files uses the same
// readers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
#include <slackline/apps/multilabel/tables/missing_values.h>
#include <slackline/core/line_reader.h>

namespace slackline::internal {

class MultiLabelReader {
 public:
  virtual ~MultiLabelReader() = default;
  MultiLabelReader(const MultiLabelReader&) = delete;
  MultiLabelReader& operator=(const MultiLabelReader&) = delete;

  /// Reads up to the end of the next example and no further; false at the end of the file. Throws
  /// DataError as ReadMultiLabelData does, and with "no examples" at the end of a file that has
  /// none.
  virtual bool Next() = 0;
  /// All examples since the last Forget, with the names of labels and features, scaled, without
  /// notes; valid until Next or Forget. Requires options for prediction. Throws DataError on a
  /// value that is too large after scaling.
  const MultiLabelData& Examples();
  /// The same before scaling; also available in training where streams_training(). In training the
  /// values of Missing() are 0, and the column of the constant is only known after the last
  /// example: it is the last column of every row.
  const MultiLabelData& ExamplesAsRead() { return Collect(); }
  /// Missing numbers of these examples in training, in the order of their rows.
  virtual std::span<const MissingValue> Missing() const { return {}; }
  /// Whether training can forget examples before the last one is read. Finish then returns only the
  /// other examples, but names, numbers and notes for all.
  virtual bool streams_training() const { return false; }
  /// Forgets the examples that were read; names and notes stay.
  virtual void Forget() = 0;
  /// MultiLabelData::notes for everything read so far.
  virtual std::vector<std::string> Notes() const = 0;
  /// Returns all examples, with notes. Must be the last call, and all ranks of the options must
  /// make it. Throws DataError as ReadMultiLabelData does.
  MultiLabelData Finish();

 protected:
  /// The options must outlive this object.
  explicit MultiLabelReader(const MultiLabelReadOptions& options) : options_(options) {}

  const MultiLabelReadOptions& options_;

  Ranks& ranks() const { return RanksOrOne(options_.ranks); }

 private:
  /// After the last example: the ranks agree on names, columns and counts.
  virtual void Agree() {}
  /// The data for Examples and for Finish, before scaling. Every call makes new rows.
  virtual MultiLabelData& Collect() = 0;
  virtual MultiLabelData CollectAll() = 0;
  void Scale(MultiLabelData* data) const;
};

/// Reads up to the first example (in ARFF the declarations). `lines` and `options` must outlive the
/// reader. Throws DataError as ReadMultiLabelData does.
std::unique_ptr<MultiLabelReader> OpenMultiLabelData(LineReader* lines,
                                                     const MultiLabelReadOptions& options);

/// A file, the standard input or a folder as lines, and a reader of its examples.
struct MultiLabelInput {
  std::unique_ptr<LineReader> lines;  // which the reader reads
  std::unique_ptr<MultiLabelReader> reader;
};
/// Opens what ReadMultiLabelData reads, for one process. `options` must outlive the reader. Throws
/// DataError as ReadMultiLabelData does.
MultiLabelInput OpenMultiLabelInput(const std::string& path, const MultiLabelReadOptions& options);

/// All examples of a reader.
inline MultiLabelData ReadAllExamples(MultiLabelReader* reader) {
  while (reader->Next()) {
  }
  return reader->Finish();
}

}  // namespace slackline::internal
