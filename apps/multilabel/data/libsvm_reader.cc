// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/libsvm_reader.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/data/class_column.h>
#include <slackline/core/check.h>
#include <slackline/core/memory_limit.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

// Leaves room for the constant feature and for "one more than the last column" in an Index.
constexpr Index kLargestFeature = std::numeric_limits<Index>::max() - 2;

constexpr std::size_t kLinesPerCheck = 64;
constexpr double kBytesPerName = 32;  // of a label whose name is its number

std::vector<std::string> LabelNames(const std::string& source,
                                    const MultiLabelReadOptions& options) {
  if (options.classes) return {};  // ClassColumn has the names
  if (!options.label_names.empty()) return options.label_names;
  if (!options.labels_xml.empty()) {
    std::vector<std::string> names = ReadMulanLabelNames(options.labels_xml);
    if (options.num_labels > 0 && options.num_labels != std::ssize(names)) {
      throw DataError(options.labels_xml, 0,
                      std::to_string(names.size()) + " labels, but --num-labels is " +
                          std::to_string(options.num_labels));
    }
    return names;
  }
  if (options.num_labels <= 0) {
    throw DataError(source, 0,
                    "a LIBSVM file does not contain the number of labels: pass --num-labels N or "
                    "--labels FILE.xml");
  }
  const std::string excess = MemoryExcess(
      (kBytesPerName + options.bytes_per_weight) * static_cast<double>(options.num_labels),
      options.the_memory());
  if (!excess.empty())
    throw DataError(source, 0, std::to_string(options.num_labels) + " labels: " + excess);
  std::vector<std::string> names;
  for (Index k = 0; k < options.num_labels; ++k) names.push_back(std::to_string(k));
  return names;
}

/// Collects the rows in flat arrays, because the column of the constant feature is only known after
/// the last line.
class LibsvmParser final : public MultiLabelReader {
 public:
  LibsvmParser(LineReader* reader, std::optional<std::string_view> first,
               const MultiLabelReadOptions& options)
      : MultiLabelReader(options),
        reader_(*reader),
        first_(first),
        classes_(options.label_names, options.strict, options.numbers) {
    data_.source = reader_.source();
    data_.label_names = LabelNames(reader_.source(), options);
    data_.has_constant = options.constant;
  }

  bool Next() override;
  void Forget() override;
  bool streams_training() const override { return true; }
  std::vector<std::string> Notes() const override;

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(reader_.name(), reader_.line_number(), message);
  }
  void ParseLine(std::string_view line);
  void RefuseSizes(std::string_view line) const;
  const char* ParseLabels(const char* begin, const char* end);
  const char* ParseClass(const char* begin, const char* end);
  void ParseLabel(std::string_view token, std::int8_t* labels);
  void ParseFeatures(const char* p, const char* end);
  [[noreturn]] void FailFeature(const char* token, const char* end, Index last) const;
  void CheckSize(std::string_view last_token) const;
  void Agree() override;
  void LeaveOutUnknown(std::size_t begin, Index last);
  MultiLabelData& Collect() override;
  MultiLabelData CollectAll() override;

  LineReader& reader_;
  std::optional<std::string_view> first_;  // a line that was already read
  bool any_ = false;
  MultiLabelData data_;
  ClassColumn classes_;
  std::vector<Index> columns_;
  std::vector<double> values_;
  std::vector<std::size_t> row_end_;
  Index num_features_ = 0;
  bool agreed_ = false;                         // on the number of features, with other ranks
  std::unordered_set<Index> unknown_features_;  // beyond those of the model
  Offset unknown_values_ = 0;
  std::string first_unknown_;
};

void LibsvmParser::ParseLine(std::string_view line) {
  if (RoleOfLibsvmLine(line) == LineRole::kNothing) return;
  line = line.substr(0, line.find('#'));
  if (std::ssize(row_end_) >= kLargestFeature) Fail("too many examples");
  if (!any_ && row_end_.empty()) RefuseSizes(line);
  const char* end = line.data() + line.size();
  if (reader_.name() != data_.source) data_.files.Add(data_.num_examples(), reader_.name());
  data_.lines.push_back(reader_.line_number());
  ParseFeatures(options_.classes ? ParseClass(line.data(), end) : ParseLabels(line.data(), end),
                end);
  row_end_.push_back(columns_.size());
}

/// Throws DataError where the first line has whole numbers alone: no features, and more than
/// labels.
void LibsvmParser::RefuseSizes(std::string_view line) const {
  std::vector<std::string_view> fields;
  SplitAtBlanks(line, &fields);
  if (fields.size() < 2 || fields.size() > 3) return;
  for (const std::string_view field : fields) {
    if (field.find_first_not_of("0123456789") != std::string_view::npos) return;
  }
  Fail(Quoted(Trimmed(line)) + ": the first line has " + std::to_string(fields.size()) +
       " whole numbers and no features; are they the numbers of examples, features and labels, "
       "with which some collections of data begin? Then leave this line out");
}

/// The end of the first field of a line; `begin` where it starts with a blank or with a feature,
/// and thus has no labels.
const char* LabelsEnd(const char* begin, const char* end) {
  const char* stop = std::find_if(begin, end, [](char c) { return IsBlank(c) || c == ':'; });
  return stop != end && *stop == ':' ? begin : stop;
}

/// Returns the position where the features begin.
const char* LibsvmParser::ParseClass(const char* begin, const char* end) {
  const char* stop = LabelsEnd(begin, end);
  const std::string_view field(begin, stop - begin);
  if (field.find(',') != std::string_view::npos) {
    Fail((options_.numbers ? "expected one number, found " : "expected one class, found ") +
         Quoted(field) + "; sets of labels are for slackline multilabel");
  }
  classes_.Add(field, {data_.source, reader_.name(), reader_.line_number()});
  return stop;
}

/// Returns the position where the features begin.
const char* LibsvmParser::ParseLabels(const char* begin, const char* end) {
  const std::size_t first = data_.labels.size();
  data_.labels.resize(first + data_.label_names.size(), 0);
  std::int8_t* labels = data_.labels.data() + first;
  const char* stop = LabelsEnd(begin, end);
  if (stop == begin) return begin;
  const std::string_view field(begin, stop - begin);
  if (field == "?") {
    std::fill(labels, labels + data_.label_names.size(), std::int8_t{-1});
    return stop;
  }
  std::size_t from = 0;
  while (from <= field.size()) {
    const std::size_t comma = std::min(field.find(',', from), field.size());
    ParseLabel(field.substr(from, comma - from), labels);
    from = comma + 1;
  }
  return stop;
}

void LibsvmParser::ParseLabel(std::string_view token, std::int8_t* labels) {
  Index label = 0;
  if (token.empty())
    Fail(
        "a comma without a label after it: labels are separated by commas without blanks, as in "
        "0,2 1:0.5");
  if (!ParseIndex(token, &label)) Fail("label " + Quoted(token) + " is not a whole number");
  if (label >= data_.num_labels()) {
    Fail("label " + Quoted(token) + " is out of range: there are " +
         std::to_string(data_.num_labels()) + " labels, numbered from 0");
  }
  if (labels[label] != 0) Fail("label " + Quoted(token) + " is given twice");
  labels[label] = 1;
}

void LibsvmParser::ParseFeatures(const char* p, const char* end) {
  const std::size_t first = columns_.size();
  Index last = 0;
  const char* last_token = p;
  for (;;) {
    while (p != end && IsBlank(*p)) ++p;
    if (p == end) break;
    const char* token = p;
    Index index = 0;
    const std::from_chars_result result = std::from_chars(p, end, index);
    if (result.ec != std::errc() || result.ptr == end || *result.ptr != ':')
      FailFeature(token, end, last);
    double value = 0;
    p = ParseNumber(result.ptr + 1, end, &value);
    if (p == nullptr || (p != end && !IsBlank(*p))) FailFeature(token, end, last);
    if (index <= last || index > kLargestFeature || std::abs(value) > kLargestValue)
      FailFeature(token, end, last);
    last = index;
    last_token = token;
    columns_.push_back(index - 1);
    values_.push_back(value);
  }
  if (last > num_features_) {
    num_features_ = last;
    CheckSize({last_token, std::find_if(last_token, end, IsBlank)});
  } else if (row_end_.size() % kLinesPerCheck == 0) {
    CheckSize({});
  }
  if (options_.num_features >= 0 && last > options_.num_features) LeaveOutUnknown(first, last);
}

/// Removes features unknown to the model from the row whose values begin at `begin`.
void LibsvmParser::LeaveOutUnknown(std::size_t begin, Index last) {
  if (options_.strict) {
    Fail("feature " + std::to_string(last) + " is out of range: the model has " +
         std::to_string(options_.num_features) + " features (--strict)");
  }
  const auto known = std::lower_bound(columns_.begin() + static_cast<std::ptrdiff_t>(begin),
                                      columns_.end(), options_.num_features);
  if (unknown_values_ == 0) {
    first_unknown_ = std::to_string(*known + 1) + " on line " +
                     std::to_string(reader_.line_number()) +
                     (reader_.name() == data_.source ? std::string() : " of " + reader_.name());
  }
  for (auto column = known; column != columns_.end(); ++column) unknown_features_.insert(*column);
  unknown_values_ += columns_.end() - known;
  const std::size_t kept = known - columns_.begin();
  columns_.resize(kept);
  values_.resize(kept);
}

/// Throws DataError when the data need more memory than there is. last_token: the feature that
/// increased the number of weights, if any.
void LibsvmParser::CheckSize(std::string_view last_token) const {
  if (options_.bytes_per_weight == 0 && options_.bytes_per_label_entry == 0) return;
  const Index num_labels = options_.classes ? classes_.num_names() : data_.num_labels();
  const auto labels = static_cast<double>(num_labels);
  const auto rows = static_cast<double>(row_end_.size() + 1);
  const auto columns = static_cast<double>(num_features_) + (options_.constant ? 1 : 0);
  const double weight_bytes = options_.bytes_per_weight * labels * columns;
  const MemoryShare memory = options_.the_memory();
  const std::string excess =
      MemoryExcess(weight_bytes + options_.bytes_per_label_entry * labels * rows, memory);
  if (excess.empty()) return;
  const std::string noun = options_.classes ? " classes" : " labels";
  const std::string count =
      (options_.classes ? classes_.CountText() : std::to_string(num_labels) + noun) + " × ";
  if (last_token.empty() || MemoryExcess(weight_bytes, memory).empty())
    Fail(count + std::to_string(row_end_.size() + 1) + " examples: " + excess);
  Fail("feature " + Quoted(last_token) + " makes " + count + std::to_string(num_features_) +
       " features: " + excess + "; use fewer features (numbers without gaps)" +
       (options_.numbers ? "" : " or fewer" + noun));
}

/// Finds out what is wrong with a feature, away from the fast path, and throws DataError.
void LibsvmParser::FailFeature(const char* begin, const char* end, Index last) const {
  const char* stop = std::find_if(begin, end, IsBlank);
  const std::string_view token(begin, stop - begin);
  const std::size_t colon = token.find(':');
  if (colon == std::string_view::npos) Fail("expected index:value, found " + Quoted(token));
  Index index = 0;
  double value = 0;
  if (!ParseIndex(token.substr(0, colon), &index) || index > kLargestFeature) {
    Fail("the feature index of " + Quoted(token) + " is not a whole number between 1 and " +
         std::to_string(kLargestFeature));
  }
  if (index == 0) Fail("feature index 0 in " + Quoted(token) + ": features count from 1");
  if (!ParseNumber(token.substr(colon + 1), &value)) {
    Fail("the value of " + Quoted(token) + " is not a finite number");
  }
  if (std::abs(value) > kLargestValue)
    Fail("the value of " + Quoted(token) + " is too large (more than 1e50)");
  Fail("feature indices must increase: " + Quoted(token) + " follows index " +
       std::to_string(last));
}

bool LibsvmParser::Next() {
  const std::size_t before = row_end_.size();
  std::string_view line;
  while (first_ || reader_.Next(&line)) {
    ParseLine(first_ ? *first_ : line);
    first_.reset();
    if (row_end_.size() == before) continue;  // an empty line
    any_ = true;
    return true;
  }
  if (!any_) throw DataError(reader_.source(), 0, "no examples");
  return false;
}

void LibsvmParser::Forget() {
  data_.labels.clear();
  classes_.Forget();
  data_.lines.clear();
  data_.files.Clear();
  columns_.clear();
  values_.clear();
  row_end_.clear();
}

void LibsvmParser::Agree() {
  if (options_.classes) classes_.Agree(ranks(), reader_.source());
  if (ranks().alone()) return;
  num_features_ = static_cast<Index>(ranks().MaxOf(num_features_));
  const std::vector<Index> unknown(unknown_features_.begin(), unknown_features_.end());
  for (const Index feature : ranks().Join(std::span(unknown))) unknown_features_.insert(feature);
  unknown_values_ = ranks().SumOf(unknown_values_);
  first_unknown_ = ranks().FirstText(first_unknown_);
  agreed_ = true;
}

MultiLabelData& LibsvmParser::Collect() {
  data_.num_features = options_.num_features >= 0 ? options_.num_features : num_features_;
  auto rows = std::make_shared<FeatureRows>();
  std::vector<Index> columns;
  std::vector<double> values;
  std::size_t begin = 0;
  for (const std::size_t end : row_end_) {
    columns.assign(columns_.begin() + static_cast<std::ptrdiff_t>(begin),
                   columns_.begin() + static_cast<std::ptrdiff_t>(end));
    values.assign(values_.begin() + static_cast<std::ptrdiff_t>(begin),
                  values_.begin() + static_cast<std::ptrdiff_t>(end));
    if (options_.constant) {
      columns.push_back(data_.num_features);
      values.push_back(1);
    }
    rows->AddSparse(columns, values);
    begin = end;
  }
  data_.rows = std::move(rows);
  if (options_.classes) {
    data_.label_names = classes_.Names();
    data_.classes = classes_.classes();
    data_.numbers = classes_.values();
  }
  return data_;
}

MultiLabelData LibsvmParser::CollectAll() {
  // The largest feature may be on another rank.
  if (agreed_) CheckSize({});
  Collect();
  if (data_.num_features == 0 && !options_.constant)
    throw DataError(reader_.source(), 0, "no features");
  return std::move(data_);
}

std::vector<std::string> LibsvmParser::Notes() const {
  std::vector<std::string> notes;
  if (unknown_values_ > 0) {
    notes.push_back(Count(unknown_values_, "value") + " of " +
                    Count(static_cast<Offset>(unknown_features_.size()), "feature") +
                    " beyond the model's " + std::to_string(options_.num_features) +
                    " left out (first feature " + first_unknown_ + ")");
  }
  classes_.AddNotes(&notes);
  return notes;
}

}  // namespace

LineRole RoleOfLibsvmLine(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#' ? LineRole::kNothing
                                                               : LineRole::kEnd;
}

std::unique_ptr<MultiLabelReader> MakeLibsvmReader(LineReader* reader,
                                                   std::optional<std::string_view> line,
                                                   const MultiLabelReadOptions& options) {
  return std::make_unique<LibsvmParser>(reader, line, options);
}

}  // namespace slackline::internal
