// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/sequence_stream.h>

#include <slackline/apps/converted/converted_reader.h>
#include <slackline/apps/sequence/sequence_input.h>
#include <slackline/core/check.h>

namespace slackline::internal {

SequenceStream::SequenceStream(const SequenceModel& model, const std::string& path,
                               const std::string& folds, const std::string& comments)
    : model_(model), lines_(path), reader_(MakeReaderFor(model, &lines_, nullptr, comments)) {
  if (IsConverted(OneRank(), path))
    throw DataError(path, 0, "converted data are not read as a stream: leave --stream out");
  if (folds.empty()) return;
  if (model.format() != SequenceFormat::kLetters)
    throw DataError(lines_.name(), 0, "the data have no folds");
  folds_.emplace(folds);
}

bool SequenceStream::Wanted() { return !folds_ || folds_->Selects(data_.folds.front()); }

bool SequenceStream::Next() {
  while (reader_->Next()) {
    data_ = reader_->Take();
    unknown_features_ += MakeRowsFor(model_, &data_);
    if (!Wanted()) continue;
    ++num_sequences_;
    num_tokens_ += data_.num_tokens();
    return true;
  }
  if (folds_) folds_->CheckAllUsed(lines_.name());
  return false;
}

}  // namespace slackline::internal
