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
      : reader_(*reader),
        options_(std::move(options)),
        labels_(options_.label_names),
        lines_(options_.comments) {
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
  struct Place {
    const std::string& file;
    long number;
  };
  void Begin();
  void BeginSequence(std::string_view line, const Place& place);
  bool EndSequence();
  bool ParseWaiting();
  bool Parse(std::string_view line, const Place& place);

  LineReader& reader_;
  const ConllReadOptions options_;
  LabelNumbering labels_;
  SequenceData data_;
  std::shared_ptr<TokenTable> tokens_;
  std::vector<std::string_view> fields_;
  std::size_t num_fields_ = 0;  // of every line; 0 before the first line
  FirstLine first_;
  TokenLines lines_;
  /// Lines before the one that decides the form.
  struct WaitingLine {
    std::string text;
    std::string file;
    long number;
  };
  std::vector<WaitingLine> waiting_;
  TokenTable head_;  // without tokens: what all token tables share
};

/// Starts with no sequences.
void ConllReader::Begin() {
  const bool has_labels = data_.has_labels;
  data_ = {};
  data_.source = reader_.source();
  data_.conllu = lines_.conllu();
  data_.has_labels = has_labels;
  data_.begin.push_back(0);
  tokens_ = std::make_shared<TokenTable>(head_);
}

void ConllReader::BeginSequence(std::string_view line, const Place& place) {
  if (place.file != data_.source) data_.files.Add(data_.num_sequences(), place.file);
  data_.lines.push_back(place.number);
  data_.num_hash_lines += line.starts_with("# ") ? 1 : 0;
}

bool ConllReader::EndSequence() {
  if (data_.begin.back() == data_.num_tokens()) return false;
  data_.begin.push_back(data_.num_tokens());
  return true;
}

/// Determines from the first line which columns the file has.
void ConllReader::BeginFile(const FirstLine& first) {
  first_ = first;
  lines_ = first.lines;
  const std::string_view line = first_.text;
  lines_.Split(line, &fields_);
  num_fields_ = fields_.size();
  const auto fail = [this](const std::string& message) {
    throw DataError(first_.file, first_.number, message + CommentHint(first_.text));
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
  data_.conllu = lines_.conllu();
  head_.num_columns = static_cast<Index>(data_.has_labels ? num_fields_ - 1 : num_fields_);
  head_.separator = lines_.SeparatorOf(line);
  *tokens_ = head_;
}

bool ConllReader::ParseLine(std::string_view line) {
  if (lines_.decided()) return Parse(line, {reader_.name(), reader_.line_number()});
  waiting_.push_back({std::string(line), reader_.name(), reader_.line_number()});
  return lines_.Decide(line) && ParseWaiting();
}

/// Only the last of these lines can end a sequence.
bool ConllReader::ParseWaiting() {
  bool ended = false;
  for (const WaitingLine& line : waiting_) ended = Parse(line.text, {line.file, line.number});
  waiting_.clear();
  return ended;
}

bool ConllReader::Parse(std::string_view line, const Place& place) {
  const LineRole role = lines_.RoleOf(line);
  if (role == LineRole::kSeparator) return EndSequence();
  if (role == LineRole::kNothing) {
    if (data_.begin.back() != data_.num_tokens()) data_.left_out.push_back(data_.num_tokens());
    return false;
  }
  const auto fail = [&](const std::string& message) {
    throw DataError(place.file, place.number, message);
  };
  if (num_fields_ == 0) BeginFile({std::string(line), place.number, place.file, lines_});
  if (!lines_.Split(line, &fields_))
    fail(Columns(fields_.size()) + " at " + Quoted(fields_[0]) + ", but CoNLL-U has 10");
  if (fields_.size() != num_fields_) {
    const std::string hint = CommentHint(line);
    fail(Columns(fields_.size()) + " at " + Quoted(fields_[0]) + ", but line " +
         std::to_string(first_.number) +
         (first_.file == place.file ? std::string() : " of " + first_.file) + " has " +
         std::to_string(num_fields_) + (lines_.tabs() ? " between tabs" : "") +
         (hint.empty() ? CommentHint(first_.text) : hint));
  }
  if (data_.num_tokens() >= std::numeric_limits<Index>::max()) fail("too many tokens");
  if (data_.begin.back() == data_.num_tokens()) BeginSequence(line, place);
  for (Index c = 0; c < tokens_->num_columns; ++c) {
    tokens_->cells.push_back(tokens_->texts.Add(fields_[c]));
  }
  const std::string_view label = fields_.back().empty() ? kUnknownLabel : fields_.back();
  data_.labels.push_back(data_.has_labels ? labels_.Number(label) : kUnlabelled);
  return false;
}

bool ConllReader::Next() {
  std::string_view line;
  while (reader_.Next(&line)) {
    if (ParseLine(line)) return true;
  }
  if (!lines_.decided() && lines_.Decide("")) ParseWaiting();
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
