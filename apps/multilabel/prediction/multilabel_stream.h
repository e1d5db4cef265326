// SPDX-License-Identifier: BSD-3-Clause
//
// Predictions for the examples of a file, each as soon as its line has been read.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/apps/multilabel/multilabel_model.h>
#include <slackline/apps/multilabel/prediction/multilabel_predict.h>
#include <slackline/core/line_reader.h>
#include <slackline/inference/decode.h>

namespace slackline::internal {

class MultiLabelStream {
 public:
  /// Opens the file ("-": the standard input). `read`: MultiLabelModel::ReadOptions, possibly with
  /// another format and strictness. The model must outlive this object. The options threads and
  /// fractional are ignored. Throws DataError when the decoding method does not apply.
  MultiLabelStream(const MultiLabelModel& model, const std::string& path,
                   MultiLabelReadOptions read, const PredictOptions& options);
  MultiLabelStream(const MultiLabelStream&) = delete;
  MultiLabelStream& operator=(const MultiLabelStream&) = delete;

  /// Reads and predicts the next example; false at the end of the file. Throws DataError as
  /// ReadMultiLabelData does, but only when it reaches the error.
  bool Next();
  /// The results for this example, one per label, if asked for; see MultiLabelPredictions.
  std::span<const std::int8_t> labels() const { return labels_; }
  std::span<const double> scores() const { return scores_; }

  Offset num_examples() const { return num_examples_; }
  /// MultiLabelData::notes for everything read so far.
  std::vector<std::string> notes() const;
  /// MultiLabelPredictions::decoder for all examples so far.
  std::string decoder() const { return decoder_.description(); }

 private:
  const MultiLabelModel& model_;
  const MultiLabelReadOptions read_;
  const PredictOptions options_;
  LineReader lines_;
  std::unique_ptr<MultiLabelReader> reader_;
  Decoder decoder_;
  std::vector<double> state_scores_;
  MapResult result_;
  std::vector<std::int8_t> labels_;
  std::vector<double> scores_;
  Offset num_examples_ = 0;
};

}  // namespace slackline::internal
