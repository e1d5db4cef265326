// SPDX-License-Identifier: BSD-3-Clause
//
// Examples of a multi-label file one after the other. The readers of whole files are made of the
// same.
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

  /// Reads the lines up to the end of one more example, and none beyond; false at the end of the
  /// file. Throws DataError as ReadMultiLabelData does, "no examples" at the end of a file without
  /// any.
  virtual bool Next() = 0;
  /// All examples since the last Forget, with the names of labels and features, scaled, without
  /// notes; valid until Next or Forget. Requires options for prediction. Throws DataError on a
  /// value that is too large after scaling.
  const MultiLabelData& Examples();
  /// Forgets the examples that were read; names and notes stay.
  virtual void Forget() = 0;
  /// MultiLabelData::notes of all that was read so far.
  virtual std::vector<std::string> Notes() const = 0;
  /// Hands out all, as the last call, with notes. Throws DataError as ReadMultiLabelData does.
  MultiLabelData Finish();

 protected:
  /// The options must live as long.
  explicit MultiLabelReader(const MultiLabelReadOptions& options) : options_(options) {}
  MultiLabelReader(const MultiLabelReader&) = delete;
  MultiLabelReader& operator=(const MultiLabelReader&) = delete;

  const MultiLabelReadOptions& options_;

 private:
  /// The data of Examples and of Finish, before scaling. Every call makes the rows anew.
  virtual MultiLabelData& Collect() = 0;
  virtual MultiLabelData CollectAll() = 0;
  void Scale(MultiLabelData* data) const;
};

/// Reads up to the first example (of ARFF the declarations). `lines` and `options` must live as
/// long. Throws DataError as ReadMultiLabelData does.
std::unique_ptr<MultiLabelReader> OpenMultiLabelData(LineReader* lines,
                                                     const MultiLabelReadOptions& options);

/// All examples of a reader.
inline MultiLabelData ReadAllExamples(MultiLabelReader* reader) {
  while (reader->Next()) {
  }
  return reader->Finish();
}

}  // namespace slackline::internal
