// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/sequence/data/attribute_reader.h>

#include <cmath>
#include <limits>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

/// Reads the name at the beginning of a field; returns the number of characters that it takes.
std::size_t ReadName(std::string_view field, std::string* name) {
  name->clear();
  std::size_t at = 0;
  for (; at < field.size() && field[at] != ':'; ++at) {
    const bool escape = field[at] == '\\' && at + 1 < field.size() &&
                        (field[at + 1] == ':' || field[at + 1] == '\\');
    if (escape) ++at;
    name->push_back(field[at]);
  }
  return at;
}

class AttributeReader final : public SequenceReader {
 public:
  AttributeReader(LineReader* reader, const std::vector<std::string>& label_names)
      : reader_(*reader), labels_(label_names) {
    Begin();
  }

  bool Next() override;
  SequenceData Take() override;
  bool knows_labels() const override { return labels_.any(); }
  void Agree(Ranks& ranks) override { labels_.Agree(ranks, &data_.labels); }
  bool ParseLine(std::string_view line) override;

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(reader_.name(), reader_.line_number(), message);
  }
  void Begin();
  void BeginSequence();
  bool EndSequence();
  void ParseAttribute(std::string_view field);

  LineReader& reader_;
  LabelNumbering labels_;
  SequenceData data_;
  std::shared_ptr<AttributeTable> attributes_;
  std::vector<std::string_view> fields_;
  std::string name_;
  bool any_ = false;  // whether the file has a token
};

/// Starts with no sequences.
void AttributeReader::Begin() {
  data_ = {};
  data_.source = reader_.source();
  data_.begin.push_back(0);
  attributes_ = std::make_shared<AttributeTable>();
}

void AttributeReader::BeginSequence() {
  if (reader_.name() != data_.source) data_.files.Add(data_.num_sequences(), reader_.name());
  data_.lines.push_back(reader_.line_number());
}

bool AttributeReader::EndSequence() {
  if (data_.begin.back() == data_.num_tokens()) return false;
  data_.begin.push_back(data_.num_tokens());
  return true;
}

void AttributeReader::ParseAttribute(std::string_view field) {
  if (field.empty()) return;
  const std::size_t end = ReadName(field, &name_);
  double value = 1;
  if (end < field.size() && end + 1 < field.size() &&
      (!ParseNumber(field.substr(end + 1), &value) || std::abs(value) > kLargestValue)) {
    Fail("attribute " + Quoted(field) + ": " + Quoted(field.substr(end + 1)) +
         " is not a number; a colon within a name must be written \\:");
  }
  attributes_->Add(name_, value);
}

bool AttributeReader::ParseLine(std::string_view line) {
  if (RoleOfTokenLine(line) == LineRole::kSeparator) return EndSequence();
  SplitViews(line, '\t', &fields_);
  if (fields_[0].starts_with("@weight")) Fail("weights of sequences (@weight) are not possible");
  if (fields_[0].find(' ') != std::string_view::npos) {
    Fail("label " + Quoted(fields_[0]) +
         " contains a blank; a line is a label and attributes, with tabs between");
  }
  if (data_.num_tokens() >= std::numeric_limits<Index>::max()) Fail("too many tokens");
  any_ = true;
  if (data_.begin.back() == data_.num_tokens()) BeginSequence();
  data_.labels.push_back(fields_[0].empty() ? kUnlabelled : labels_.Number(fields_[0]));
  for (std::size_t k = 1; k < fields_.size(); ++k) ParseAttribute(fields_[k]);
  attributes_->EndToken();
  return false;
}

bool AttributeReader::Next() {
  std::string_view line;
  while (reader_.Next(&line)) {
    if (ParseLine(line)) return true;
  }
  if (!any_) throw DataError(reader_.source(), 0, "no tokens");
  return EndSequence();
}

SequenceData AttributeReader::Take() {
  labels_.Finish(&data_);
  if (data_.label_names.empty()) throw DataError(reader_.source(), 0, "no known labels");
  data_.tokens = std::make_shared<TokenTable>();
  data_.attributes = std::move(attributes_);
  SequenceData data = std::move(data_);
  Begin();
  return data;
}

}  // namespace

std::unique_ptr<SequenceReader> MakeAttributeReader(LineReader* lines,
                                                    const std::vector<std::string>& label_names) {
  return std::make_unique<AttributeReader>(lines, label_names);
}

SequenceData ReadAttributes(const std::string& path, const std::vector<std::string>& label_names) {
  LineReader reader(path);
  return ReadAllSequences(MakeAttributeReader(&reader, label_names).get());
}

}  // namespace slackline::internal
