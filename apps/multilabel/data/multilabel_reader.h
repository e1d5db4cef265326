// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the examples of a multi-label file one after the other. Reading whole files uses the same
// readers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_data.h>
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
  /// Forgets the examples that were read; names and notes stay.
  virtual void Forget() = 0;
  /// MultiLabelData::notes for everything read so far.
  virtual std::vector<std::string> Notes() const = 0;
  /// Returns all examples, with notes; must be the last call, and that of all ranks of the options.
  /// Throws DataError as ReadMultiLabelData does.
  MultiLabelData Finish();

 protected:
  /// The options must outlive this object.
  explicit MultiLabelReader(const MultiLabelReadOptions& options) : options_(options) {}

  const MultiLabelReadOptions& options_;

  Ranks& ranks() const { return RanksOrOne(options_.ranks); }

 private:
  /// After the last example: ranks agree on what they have in common.
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

/// All examples of a reader.
inline MultiLabelData ReadAllExamples(MultiLabelReader* reader) {
  while (reader->Next()) {
  }
  return reader->Finish();
}

}  // namespace slackline::internal
