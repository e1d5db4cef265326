// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/prediction/multilabel_stream.h>

#include <utility>

namespace slackline::internal {

MultiLabelStream::MultiLabelStream(const MultiLabelModel& model, const std::string& path,
                                   MultiLabelReadOptions read, const PredictOptions& options)
    : model_(model),
      read_(std::move(read)),
      options_(options),
      lines_(path),
      decoder_(model.MakeDecoder(options.decode)) {
  state_scores_.resize(model.structure()->graph().total_states());
  if (options.scores) scores_.resize(model.label_names().size());
}

bool MultiLabelStream::Next() {
  if (reader_ == nullptr) reader_ = OpenMultiLabelData(&lines_, read_);
  if (!reader_->Next()) return false;
  const Dataset example = model_.MakeDataset(reader_->Examples());
  model_.Scores(example.example(0), state_scores_);
  if (options_.labels) {
    decoder_.Decode(state_scores_, &result_);
    labels_.assign(result_.labels.begin(), result_.labels.end());
  }
  if (options_.scores) decoder_.MaxMarginals(state_scores_, scores_);
  ++num_examples_;
  reader_->Forget();
  return true;
}

std::vector<std::string> MultiLabelStream::notes() const {
  return reader_ == nullptr ? std::vector<std::string>() : reader_->Notes();
}

}  // namespace slackline::internal
