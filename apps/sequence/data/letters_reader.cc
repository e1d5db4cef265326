// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/letters_reader.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

constexpr std::size_t kPixels = 6;  // index of the first pixel's field
// A line with at least this many fields is in the letters format, because lines of text columns
// hardly have so many.
constexpr std::size_t kMinLetterFields = 30;
constexpr Index kEndOfWord = -1;
constexpr std::size_t kNextField = 2;  // the id of the next letter, or kNoNext
constexpr std::string_view kNoNext = "-1";

/// Splits the line at tabs; one tab is allowed after the last field.
void SplitFields(std::string_view line, std::vector<std::string_view>* fields) {
  if (line.ends_with('\t')) line.remove_suffix(1);
  SplitViews(line, '\t', fields);
}

class LettersReader final : public SequenceReader {
 public:
  LettersReader(LineReader* reader, LettersReadOptions options)
      : reader_(*reader), options_(std::move(options)), labels_(options_.label_names) {
    Begin();
  }

  bool Next() override;
  SequenceData Take() override;
  bool knows_labels() const override { return labels_.any(); }
  void Agree(Ranks& ranks) override { labels_.Agree(ranks, &data_.labels); }
  void BeginFile(const FirstLine& first);
  bool ParseLine(std::string_view line) override;

 private:
  /// The fields of a line that link letters to words.
  struct Letter {
    Index id = 0;
    Index next = kEndOfWord;
    Index word = 0;
    Index position = 0;
    Index fold = 0;
  };

  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(reader_.name(), reader_.line_number(), message);
  }
  void Begin();
  void Split(std::string_view line);
  void CheckPixels(const std::string& file, long line) const;
  void CheckEnded() const;
  Index Number(std::size_t field, const char* what) const;
  void CheckFollows(const Letter& letter) const;
  void ParsePixels();

  LineReader& reader_;
  const LettersReadOptions options_;
  LabelNumbering labels_;
  SequenceData data_;
  std::shared_ptr<TokenTable> tokens_;
  std::shared_ptr<FeatureRows> rows_;
  std::vector<std::string_view> fields_;
  std::size_t num_fields_ = 0;  // of every line; 0 before the first line
  Letter last_;
  std::vector<Index> columns_;
  std::vector<double> values_;
};

/// Starts with no words.
void LettersReader::Begin() {
  data_ = {};
  data_.source = reader_.source();
  data_.begin.push_back(0);
  data_.num_features = num_fields_ == 0 ? 0 : static_cast<Index>(num_fields_ - kPixels);
  tokens_ = std::make_shared<TokenTable>();
  tokens_->num_columns = 3;
  rows_ = std::make_shared<FeatureRows>();
}

void LettersReader::Split(std::string_view line) {
  SplitFields(line, &fields_);
  if (fields_.size() <= kPixels) {
    Fail(Count(static_cast<Offset>(fields_.size()), "field") +
         ", but a line has id, letter, next id, word id, position, fold and pixels, with tabs "
         "between");
  }
  if (num_fields_ == 0) {
    num_fields_ = fields_.size();
    data_.num_features = static_cast<Index>(num_fields_ - kPixels);
    CheckPixels(reader_.name(), reader_.line_number());
  }
  if (fields_.size() != num_fields_) {
    Fail(std::to_string(fields_.size() - kPixels) + " pixels at letter " + Quoted(fields_[1]) +
         ", but the lines before have " + std::to_string(num_fields_ - kPixels));
  }
}

/// Takes the number of pixels from the first line, which the reader of its rank checks.
void LettersReader::BeginFile(const FirstLine& first) {
  SplitFields(first.text, &fields_);
  if (fields_.size() <= kPixels) return;
  num_fields_ = fields_.size();
  data_.num_features = static_cast<Index>(num_fields_ - kPixels);
  CheckPixels(first.file, first.number);
}

/// Throws DataError, with the place of the first line, unless the model has as many pixels.
void LettersReader::CheckPixels(const std::string& file, long line) const {
  if (options_.num_features < 0 || options_.num_features == data_.num_features) return;
  throw DataError(file, line,
                  std::to_string(data_.num_features) + " pixels, but the model has " +
                      std::to_string(options_.num_features));
}

Index LettersReader::Number(std::size_t field, const char* what) const {
  Index value = 0;
  if (!ParseIndex(fields_[field], &value))
    Fail(std::string(what) + " " + Quoted(fields_[field]) + " is not a whole number from 0");
  return value;
}

/// Throws DataError if a letter neither continues the previous word nor begins a new one.
void LettersReader::CheckFollows(const Letter& letter) const {
  const bool begins = last_.next == kEndOfWord;
  if (!begins && letter.id != last_.next) {
    Fail("id " + Quoted(fields_[0]) + ", but the next id in the line before is " +
         std::to_string(last_.next));
  }
  const Index position = begins ? 1 : last_.position + 1;
  if (letter.position != position)
    Fail("position " + Quoted(fields_[4]) + ", expected " + std::to_string(position));
  if (begins) return;
  if (letter.word != last_.word)
    Fail("word id " + Quoted(fields_[3]) + " within word " + std::to_string(last_.word));
  if (letter.fold != last_.fold)
    Fail("fold " + Quoted(fields_[5]) + " within a word of fold " + std::to_string(last_.fold));
}

void LettersReader::ParsePixels() {
  columns_.clear();
  values_.clear();
  for (std::size_t field = kPixels; field < fields_.size(); ++field) {
    const std::string_view pixel = fields_[field];
    if (pixel == "0") continue;
    double value = 1;
    if (pixel != "1" &&
        !(options_.any_numbers && ParseNumber(pixel, &value) && std::abs(value) <= kLargestValue)) {
      Fail("pixel " + std::to_string(field - kPixels + 1) + " is " + Quoted(pixel) +
           (options_.any_numbers ? ", not a number" : ", not 0 or 1"));
    }
    if (value == 0) continue;
    columns_.push_back(static_cast<Index>(field - kPixels));
    values_.push_back(value);
  }
  rows_->AddSparse(columns_, values_);
}

bool LettersReader::ParseLine(std::string_view line) {
  if (reader_.between_parts()) CheckEnded();
  if (RoleOfLetterLine(line) == LineRole::kNothing) return false;
  if (data_.num_tokens() >= std::numeric_limits<Index>::max()) Fail("too many letters");
  Split(line);
  Letter letter;
  letter.id = Number(0, "id");
  letter.next = fields_[kNextField] == kNoNext ? kEndOfWord : Number(2, "next id");
  letter.word = Number(3, "word id");
  letter.position = Number(4, "position");
  letter.fold = Number(5, "fold");
  if (fields_[1].empty()) Fail("no letter");
  CheckFollows(letter);
  if (last_.next == kEndOfWord) {
    if (reader_.name() != data_.source) data_.files.Add(data_.num_sequences(), reader_.name());
    data_.lines.push_back(reader_.line_number());
    data_.folds.push_back(letter.fold);
  }
  ParsePixels();
  data_.labels.push_back(labels_.Number(fields_[1]));
  for (const std::size_t field : {0u, 3u, 4u})
    tokens_->cells.push_back(tokens_->texts.Add(fields_[field]));
  if (letter.next == kEndOfWord) data_.begin.push_back(data_.num_tokens());
  last_ = letter;
  return letter.next == kEndOfWord;
}

bool LettersReader::Next() {
  std::string_view line;
  while (reader_.Next(&line)) {
    if (ParseLine(line)) return true;
  }
  if (num_fields_ == 0) throw DataError(reader_.source(), 0, "no words");
  CheckEnded();
  return false;
}

/// Throws DataError at the end of a file within a word.
void LettersReader::CheckEnded() const {
  if (last_.next == kEndOfWord) return;
  Fail("the file ends within word " + std::to_string(last_.word) + ": the letter with id " +
       std::to_string(last_.next) + " is missing");
}

SequenceData LettersReader::Take() {
  labels_.Finish(&data_);
  if (data_.label_names.empty()) throw DataError(reader_.source(), 0, "no known letters");
  data_.tokens = std::move(tokens_);
  data_.rows = std::move(rows_);
  SequenceData data = std::move(data_);
  Begin();
  return data;
}

}  // namespace

bool LooksLikeLetter(std::string_view line) {
  std::vector<std::string_view> fields;
  SplitFields(line, &fields);
  Index bad = 0;
  for (std::size_t field = 0; field < fields.size(); ++field) {
    Index number = 0;
    const bool good = field == 1 || (field == kNextField && fields[field] == kNoNext) ||
                      (ParseIndex(fields[field], &number) && (field < kPixels || number <= 1));
    if (!good) ++bad;
  }
  return fields.size() > kPixels && bad <= (fields.size() >= kPixels + kMinLetterFields ? 1 : 0);
}

std::unique_ptr<SequenceReader> MakeLettersReader(LineReader* lines,
                                                  const LettersReadOptions& options) {
  return std::make_unique<LettersReader>(lines, options);
}

std::unique_ptr<SequenceReader> MakeLettersReader(LineReader* lines,
                                                  const LettersReadOptions& options,
                                                  const FirstLine& first) {
  auto reader = std::make_unique<LettersReader>(lines, options);
  reader->BeginFile(first);
  return reader;
}

LineRole RoleOfLetterLine(std::string_view line) {
  if (std::all_of(line.begin(), line.end(), IsBlank)) return LineRole::kNothing;
  for (std::size_t field = 0; field < kNextField; ++field) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) return LineRole::kPart;
    line.remove_prefix(tab + 1);
  }
  return line.substr(0, line.find('\t')) == kNoNext ? LineRole::kEnd : LineRole::kPart;
}

SequenceData ReadLetters(const std::string& path, const LettersReadOptions& options) {
  LineReader reader(path);
  return ReadAllSequences(MakeLettersReader(&reader, options).get());
}

}  // namespace slackline::internal
