// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/conll_reader.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

std::string Columns(std::size_t count) { return Count(static_cast<Offset>(count), "column"); }

class ConllReader final : public SequenceReader {
 public:
  ConllReader(LineReader* reader, ConllReadOptions options)
      : reader_(*reader), options_(std::move(options)), labels_(options_.label_names) {
    SLACKLINE_CHECK(options_.num_columns < 0
                        ? options_.label_names.empty()
                        : options_.num_columns > 0 && !options_.label_names.empty(),
                    "prediction needs both labels and number of columns of the model");
    Begin();
  }

  bool Next() override;
  SequenceData Take() override;
  bool knows_labels() const override { return labels_.any(); }
  void Agree(Ranks& ranks) override { labels_.Agree(ranks, &data_.labels); }
  void BeginFile(const FirstLine& first);
  bool ParseLine(std::string_view line) override;

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(reader_.name(), reader_.line_number(), message);
  }
  void Begin();
  void BeginSequence();
  bool EndSequence();

  LineReader& reader_;
  const ConllReadOptions options_;
  LabelNumbering labels_;
  SequenceData data_;
  std::shared_ptr<TokenTable> tokens_;
  std::vector<std::string_view> fields_;
  std::size_t num_fields_ = 0;  // of every line; 0 before the first line
  FirstLine first_;
  TokenTable head_;  // without tokens: what all token tables share
};

/// Starts with no sequences.
void ConllReader::Begin() {
  const bool has_labels = data_.has_labels;
  data_ = {};
  data_.source = reader_.source();
  data_.has_labels = has_labels;
  data_.begin.push_back(0);
  tokens_ = std::make_shared<TokenTable>(head_);
}

void ConllReader::BeginSequence() {
  if (reader_.name() != data_.source) data_.files.Add(data_.num_sequences(), reader_.name());
  data_.lines.push_back(reader_.line_number());
}

bool ConllReader::EndSequence() {
  if (data_.begin.back() == data_.num_tokens()) return false;
  data_.begin.push_back(data_.num_tokens());
  return true;
}

/// Determines from the first line which columns the file has.
void ConllReader::BeginFile(const FirstLine& first) {
  first_ = first;
  const std::string_view line = first_.text;
  SplitAtBlanks(line, &fields_);
  num_fields_ = fields_.size();
  const auto fail = [this](const std::string& message) {
    throw DataError(first_.file, first_.number, message);
  };
  const std::size_t used = std::max<Index>(options_.num_columns, 0);
  if (options_.num_columns < 0) {
    if (num_fields_ < 2)
      fail("1 column at " + Quoted(fields_[0]) + ", but training needs tokens and labels");
  } else if (num_fields_ != used && num_fields_ != used + 1) {
    fail(Columns(num_fields_) + " at " + Quoted(fields_[0]) + ", but the model needs " +
         Columns(used) + ", and one more where there are labels");
  }
  data_.has_labels = num_fields_ != used;
  head_.num_columns = static_cast<Index>(data_.has_labels ? num_fields_ - 1 : num_fields_);
  const std::size_t blank = line.find_first_of(" \t", line.find_first_not_of(" \t"));
  if (blank != std::string_view::npos) head_.separator = line[blank];
  *tokens_ = head_;
}

bool ConllReader::ParseLine(std::string_view line) {
  if (RoleOfTokenLine(line) == LineRole::kSeparator) return EndSequence();
  if (num_fields_ == 0) BeginFile({std::string(line), reader_.line_number(), reader_.name()});
  SplitAtBlanks(line, &fields_);
  if (fields_.size() != num_fields_) {
    Fail(Columns(fields_.size()) + " at " + Quoted(fields_[0]) + ", but line " +
         std::to_string(first_.number) +
         (first_.file == reader_.name() ? std::string() : " of " + first_.file) + " has " +
         std::to_string(num_fields_));
  }
  if (data_.num_tokens() >= std::numeric_limits<Index>::max()) Fail("too many tokens");
  if (data_.begin.back() == data_.num_tokens()) BeginSequence();
  for (Index c = 0; c < tokens_->num_columns; ++c) {
    tokens_->cells.push_back(tokens_->texts.Add(fields_[c]));
  }
  data_.labels.push_back(data_.has_labels ? labels_.Number(fields_.back()) : kUnlabelled);
  return false;
}

bool ConllReader::Next() {
  std::string_view line;
  while (reader_.Next(&line)) {
    if (ParseLine(line)) return true;
  }
  if (num_fields_ == 0) throw DataError(reader_.source(), 0, "no tokens");
  return EndSequence();
}

SequenceData ConllReader::Take() {
  labels_.Finish(&data_);
  if (data_.label_names.empty()) throw DataError(reader_.source(), 0, "no known labels");
  data_.tokens = std::move(tokens_);
  SequenceData data = std::move(data_);
  data_.has_labels = data.has_labels;
  Begin();
  return data;
}

}  // namespace

std::unique_ptr<SequenceReader> MakeConllReader(LineReader* lines,
                                                const ConllReadOptions& options) {
  return std::make_unique<ConllReader>(lines, options);
}

std::unique_ptr<SequenceReader> MakeConllReader(LineReader* lines, const ConllReadOptions& options,
                                                const FirstLine& first) {
  auto reader = std::make_unique<ConllReader>(lines, options);
  reader->BeginFile(first);
  return reader;
}

SequenceData ReadConll(const std::string& path, const ConllReadOptions& options) {
  LineReader reader(path);
  return ReadAllSequences(MakeConllReader(&reader, options).get());
}

}  // namespace slackline::internal
