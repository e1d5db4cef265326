// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/arff_reader.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <slackline/apps/multilabel/data/arff_columns.h>
#include <slackline/apps/multilabel/data/arff_header.h>
#include <slackline/apps/multilabel/tables/column_selection.h>
#include <slackline/apps/multilabel/tables/label_words.h>
#include <slackline/apps/multilabel/tables/missing_values.h>
#include <slackline/apps/multilabel/tables/table_text.h>
#include <slackline/core/check.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>

namespace slackline::internal {
namespace {

std::vector<std::string> NamesOf(const ArffHeader& header) {
  std::vector<std::string> names;
  for (const ArffAttribute& attribute : header.attributes) names.push_back(attribute.name);
  return names;
}

bool IsMissing(const ArffScanner::Token& token) { return token.text == "?" && !token.quoted; }

class ArffParser final : public MultiLabelReader {
 public:
  ArffParser(LineReader* reader, const ArffHeader& header, const MultiLabelReadOptions& options);

  bool Next() override;
  void Forget() override;
  bool streams_training() const override { return true; }
  std::span<const MissingValue> Missing() const override { return missing_; }
  std::vector<std::string> Notes() const override;

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(reader_.name(), reader_.line_number(), message);
  }
  void ParseRow(std::string_view line);
  void NameLabels(const ArffHeader& header, const MultiLabelReadOptions& options);
  void NameGivenLabels(const ArffHeader& header, const MultiLabelReadOptions& options);
  void LeaveOut(const ArffHeader& header, const MultiLabelReadOptions& options);
  void LeaveOutUnknown(const ArffHeader& header, const MultiLabelReadOptions& options);
  void MakeColumns(const ArffHeader& header, const MultiLabelReadOptions& options);
  void CheckFeatures(const ArffHeader& header, const MultiLabelReadOptions& options) const;
  static std::vector<std::int8_t> LabelValuesOf(const ArffHeader& header,
                                                const ArffAttribute& attribute);
  void ParseDenseRow(ArffScanner* scanner);
  void ParseSparseRow(ArffScanner* scanner);
  void ParseWeight(ArffScanner* scanner) const;
  ArffScanner::Token NextValue(ArffScanner* scanner, std::string_view stops) const;
  std::int8_t LabelValue(const ArffColumn& column, const ArffScanner::Token& token);
  /// The feature that the value sets (relative to the column's first one) and its number.
  std::pair<Index, double> FeatureValue(const ArffColumn& column,
                                        const ArffScanner::Token& token) const;
  /// The same for an attribute that a sparse row omits.
  std::pair<Index, double> OmittedValue(const ArffColumn& column) const;
  void AddSparse(const ArffColumn& column, std::pair<Index, double> feature);
  double MissingNumber(ArffColumn* column);
  void FillIn();
  void Agree() override;
  MultiLabelData& Collect() override;
  MultiLabelData CollectAll() override;

  LineReader& reader_;
  bool any_ = false;
  MultiLabelData data_;
  std::shared_ptr<FeatureRows> rows_ = std::make_shared<FeatureRows>();
  std::vector<ArffColumn> columns_;
  LabelWords label_words_{{}};
  std::vector<std::string> left_out_;        // attributes of the file that the model does not know
  std::vector<Index> nonzero_if_omitted_;    // feature columns whose omitted value is not 0
  std::vector<std::int8_t> omitted_labels_;  // labels of a sparse row that omits every label
  std::vector<double> values_;               // the row being read
  std::vector<Index> features_;
  std::vector<MissingValue> missing_;  // filled in after the last row
  // Of the rows that were forgotten in training; null: none.
  std::unique_ptr<FeatureMeanSums> forgotten_;
};

ArffParser::ArffParser(LineReader* reader, const ArffHeader& header,
                       const MultiLabelReadOptions& options)
    : MultiLabelReader(options), reader_(*reader) {
  data_.source = reader_.source();
  data_.has_constant = options.constant;
  if (options.for_prediction() || !options.labels_xml.empty()) {
    NameLabels(header, options);
  } else {
    NameGivenLabels(header, options);
  }
  label_words_ = LabelWords(data_.label_names);
  MakeColumns(header, options);
}

/// The labels of --label-columns, or of the relation.
void ArffParser::NameGivenLabels(const ArffHeader& header, const MultiLabelReadOptions& options) {
  const std::vector<std::string> names = NamesOf(header);
  if (!options.label_columns.empty()) {
    for (const Index k : SelectColumns("--label-columns", options.label_columns, names))
      data_.label_names.push_back(names[Size(k)]);
    return;
  }
  const Index count = std::abs(header.relation_labels);
  if (Size(count) > names.size()) {
    throw DataError(header.file, 0,
                    "the relation has -C " + std::to_string(header.relation_labels) +
                        ", but there are only " + std::to_string(names.size()) + " attributes");
  }
  const auto first = header.relation_labels > 0 ? names.begin() : names.end() - count;
  data_.label_names.assign(first, first + count);
}

/// Marks the attributes that are no columns: in training, those that --ignore-columns names.
void ArffParser::LeaveOut(const ArffHeader& header, const MultiLabelReadOptions& options) {
  const std::vector<std::string> names = NamesOf(header);
  if (!options.ignore_columns.empty()) {
    for (const Index k : SelectColumns("--ignore-columns", options.ignore_columns, names)) {
      if (columns_[Size(k)].label >= 0)
        throw DataError("--ignore-columns: attribute " + Quoted(names[Size(k)]) + " is a label");
      columns_[Size(k)].left_out = true;
    }
  }
  if (!options.feature_names.empty()) LeaveOutUnknown(header, options);
  for (std::size_t a = 0; a < columns_.size(); ++a) {
    const ArffAttribute& attribute = header.attributes[a];
    if (columns_[a].left_out || attribute.other_type.empty()) continue;
    throw DataError(header.file, attribute.line,
                    "attribute " + Quoted(attribute.name) + " has type " +
                        Quoted(attribute.other_type) + ", which is " +
                        (columns_[a].label >= 0 ? "no type of a label" : "no feature") +
                        "; leave it out by --ignore-columns " + Quoted(attribute.name));
  }
}

/// For a model: leaves out attributes that the model does not know if all that it knows are there.
void ArffParser::LeaveOutUnknown(const ArffHeader& header, const MultiLabelReadOptions& options) {
  const std::unordered_set<std::string> known(options.feature_names.begin(),
                                              options.feature_names.end());
  std::vector<std::size_t> unknown;
  std::size_t found = 0;
  for (std::size_t a = 0; a < columns_.size(); ++a) {
    if (columns_[a].label >= 0) continue;
    std::vector<std::string> names;
    if (header.attributes[a].other_type.empty())
      NameArffFeatures(header.attributes[a], columns_[a], &names);
    const auto count = std::count_if(
        names.begin(), names.end(), [&](const std::string& name) { return known.count(name) > 0; });
    found += Size(count);
    if (count == 0) unknown.push_back(a);
  }
  if (found != known.size()) return;
  for (const std::size_t a : unknown) {
    const ArffAttribute& attribute = header.attributes[a];
    if (options.strict) {
      throw DataError(
          header.file, attribute.line,
          "attribute " + Quoted(attribute.name) + " is unknown to the model (--strict)");
    }
    columns_[a].left_out = true;
    left_out_.push_back(attribute.name);
  }
}

void ArffParser::NameLabels(const ArffHeader& header, const MultiLabelReadOptions& options) {
  const bool from_model = !options.label_names.empty();
  std::vector<long> lines;  // of the XML
  std::vector<std::string> names =
      from_model ? options.label_names : ReadMulanLabelNames(options.labels_xml, &lines);
  const auto known = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
    return header.by_name.count(name) > 0;
  });
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& name = names[k];
    // Data to predict on may lack all labels; if only some are missing, a name is wrong.
    if (header.by_name.count(name) > 0 || (from_model && known == 0)) continue;
    throw DataError(from_model ? header.file : options.labels_xml, from_model ? 0 : lines[k],
                    "label " + Quoted(name) + (from_model ? " of the model" : "") +
                        " is not an attribute of " + header.file);
  }
  if (!from_model) {
    std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
      return header.by_name.at(a) < header.by_name.at(b);
    });
  }
  data_.label_names = std::move(names);
}

void ArffParser::MakeColumns(const ArffHeader& header, const MultiLabelReadOptions& options) {
  std::vector<Index> label_of(header.attributes.size(), -1);
  omitted_labels_.assign(data_.label_names.size(), 0);
  for (Index k = 0; k < data_.num_labels(); ++k) {
    const auto found = header.by_name.find(data_.label_names[k]);
    if (found == header.by_name.end()) {
      omitted_labels_[k] = -1;
    } else {
      label_of[found->second] = k;
    }
  }
  for (std::size_t a = 0; a < header.attributes.size(); ++a) {
    columns_.push_back(MakeArffColumn(header.file, header.attributes[a]));
    columns_.back().label = label_of[a];
  }
  LeaveOut(header, options);
  for (std::size_t a = 0; a < columns_.size(); ++a) {
    ArffColumn& column = columns_[a];
    const ArffAttribute& attribute = header.attributes[a];
    if (column.left_out) continue;
    if (column.label >= 0) {
      if (!attribute.nominal) continue;
      column.label_values = LabelValuesOf(header, attribute);
      omitted_labels_[Size(column.label)] = column.label_values[0];
      if (attribute.values.size() == 2)
        label_words_.Tell(attribute.values[Size(column.label_values[0])],
                          attribute.values[Size(column.label_values[1])]);
      continue;
    }
    column.first_feature = data_.num_features;
    column.width = column.one_hot ? static_cast<Index>(column.positions.size()) : 1;
    data_.num_features += column.width;
    NameArffFeatures(attribute, column, &data_.feature_names);
    if (OmittedValue(column).second != 0) nonzero_if_omitted_.push_back(static_cast<Index>(a));
  }
  if (data_.num_features == 0 && !data_.has_constant) {
    throw DataError(header.file, 0, "all attributes are labels: there are no features");
  }
  CheckFeatures(header, options);
}

/// Throws DataError unless the features are the model's: values of other columns would give
/// meaningless predictions.
void ArffParser::CheckFeatures(const ArffHeader& header,
                               const MultiLabelReadOptions& options) const {
  if (options.num_features >= 0 && options.num_features != data_.num_features) {
    throw DataError(header.file, 0,
                    "the file has " + std::to_string(data_.num_features) +
                        " features, but the model has " + std::to_string(options.num_features));
  }
  if (options.feature_names.empty()) return;
  const auto [name, expected] =
      std::mismatch(data_.feature_names.begin(), data_.feature_names.end(),
                    options.feature_names.begin(), options.feature_names.end());
  if (name == data_.feature_names.end()) return;
  const auto feature = static_cast<Index>(name - data_.feature_names.begin());
  std::size_t a = 0;
  while (columns_[a].label >= 0 || columns_[a].left_out ||
         columns_[a].first_feature + columns_[a].width <= feature)
    ++a;
  throw DataError(header.file, header.attributes[a].line,
                  "feature " + std::to_string(feature + 1) + " is " + Quoted(*name) +
                      ", but the model was trained with " + Quoted(*expected) + " there");
}

/// 0 or 1 for each declared value of a label. Throws DataError unless there are at most two values,
/// and one of two means no.
std::vector<std::int8_t> ArffParser::LabelValuesOf(const ArffHeader& header,
                                                   const ArffAttribute& attribute) {
  const auto means = [](const std::string& value, bool yes) {
    const std::optional<LabelWord> word = ParseLabelWord(value);
    return yes ? word == LabelWord::kYes : word == LabelWord::kNo || word == LabelWord::kMinusOne;
  };
  const std::vector<std::string>& values = attribute.values;
  std::vector<std::int8_t> labels;
  for (const std::string& value : values) labels.push_back(means(value, false) ? 0 : 1);
  const bool fits = values.size() == 2
                        ? labels[0] != labels[1]
                        : values.size() == 1 && (labels[0] == 0 || means(values[0], true));
  if (fits) return labels;
  throw DataError(header.file, attribute.line,
                  "label " + Quoted(attribute.name) + " is declared with " +
                      Count(static_cast<Offset>(values.size()), "value") + ", such as " +
                      Quoted(values.front()) +
                      "; it needs two, of which one means no: 0 and 1, false and true, no and yes, "
                      "-1 and 1");
}

ArffScanner::Token ArffParser::NextValue(ArffScanner* scanner, std::string_view stops) const {
  if (scanner->AtEnd()) Fail("the row ends where a value is expected");
  const ArffScanner::Token token = scanner->Next(stops);
  if (!token.closed) Fail("the closing quote is missing: " + Quoted(token.text));
  if (token.text.empty() && !token.quoted)
    Fail("expected a value, found " + Quoted(scanner->Rest()));
  return token;
}

std::int8_t ArffParser::LabelValue(const ArffColumn& column, const ArffScanner::Token& token) {
  if (IsMissing(token)) return -1;
  const auto word_value = [&] {
    const std::int8_t value =
        label_words_.Add(column.label, token.text, reader_.name(), reader_.line_number());
    return value == LabelWords::kEmptyCell ? std::int8_t{-1} : value;
  };
  if (!column.nominal) return word_value();
  const Index position = column.Position(token.text);
  if (position >= 0) return column.label_values[Size(position)];
  // A declaration with one value may omit the other one.
  const std::optional<LabelWord> word = ParseLabelWord(token.text);
  if (column.label_values.size() > 1 || !word)
    Fail("value " + Quoted(token.text) + " of label " + Quoted(column.name) + " is not declared");
  return word_value();
}

std::pair<Index, double> ArffParser::FeatureValue(const ArffColumn& column,
                                                  const ArffScanner::Token& token) const {
  if (column.nominal) {
    const Index position = column.Position(token.text);
    if (position < 0)
      Fail("value " + Quoted(token.text) + " of attribute " + Quoted(column.name) +
           " is not declared");
    if (column.one_hot) return {position, 1.0};
    return {0, column.numbers[position]};
  }
  double number = 0;
  if (!ParseNumber(token.text, &number)) {
    Fail("value " + Quoted(token.text) + " of attribute " + Quoted(column.name) +
         " is not a finite number");
  }
  if (std::abs(number) > kLargestValue) {
    Fail("value " + Quoted(token.text) + " of attribute " + Quoted(column.name) +
         " is too large (more than 1e50)");
  }
  return {0, number};
}

std::pair<Index, double> ArffParser::OmittedValue(const ArffColumn& column) const {
  if (column.one_hot) return {0, 1.0};
  return {0, column.nominal ? column.numbers[0] : 0.0};
}

void ArffParser::ParseRow(std::string_view line) {
  if (RoleOfArffLine(line) == LineRole::kNothing) return;
  ArffScanner scanner(line);
  data_.labels.insert(data_.labels.end(), omitted_labels_.begin(), omitted_labels_.end());
  values_.clear();
  features_.clear();
  if (scanner.Accept('{')) {
    ParseSparseRow(&scanner);
  } else {
    ParseDenseRow(&scanner);
  }
  if (reader_.name() != data_.source) data_.files.Add(data_.num_examples(), reader_.name());
  data_.lines.push_back(reader_.line_number());
}

void ArffParser::ParseDenseRow(ArffScanner* scanner) {
  std::int8_t* labels = data_.labels.data() + data_.labels.size() - data_.label_names.size();
  values_.resize(data_.num_features, 0.0);
  std::size_t count = 0;
  bool comma = true;
  while ((!scanner->AtEnd() && scanner->Peek() != '{') || (comma && scanner->AtEnd())) {
    const ArffScanner::Token token = NextValue(scanner, ",");
    if (count < columns_.size()) {
      ArffColumn& column = columns_[count];
      if (column.left_out) {
        // Its value only has a length.
      } else if (column.label >= 0) {
        labels[column.label] = LabelValue(column, token);
      } else if (IsMissing(token)) {
        const double value = MissingNumber(&column);
        if (!column.one_hot) values_[column.first_feature] = value;
      } else {
        const auto [feature, value] = FeatureValue(column, token);
        values_[column.first_feature + feature] = value;
      }
    }
    ++count;
    comma = scanner->Accept(',');
  }
  if (count != columns_.size()) {
    Fail("the row has " + std::to_string(count) + " values, but there are " +
         std::to_string(columns_.size()) + " attributes");
  }
  ParseWeight(scanner);
  if (data_.has_constant) values_.push_back(1);
  rows_->AddDense(values_);
}

void ArffParser::ParseSparseRow(ArffScanner* scanner) {
  std::int8_t* labels = data_.labels.data() + data_.labels.size() - data_.label_names.size();
  Index last = -1;
  auto omitted = nonzero_if_omitted_.begin();
  const auto add_omitted = [&](Index before) {
    for (; omitted != nonzero_if_omitted_.end() && *omitted < before; ++omitted) {
      const ArffColumn& column = columns_[*omitted];
      AddSparse(column, OmittedValue(column));
    }
  };
  while (!scanner->Accept('}')) {
    if (last >= 0 && !scanner->Accept(','))
      Fail("expected ',' or '}' in a sparse row, found " + Quoted(scanner->Rest()));
    const ArffScanner::Token index = NextValue(scanner, ",}");
    Index a = 0;
    if (!ParseIndex(index.text, &a) || a >= static_cast<Index>(columns_.size())) {
      Fail("index " + Quoted(index.text) + " of a sparse row is not a number from 0 to " +
           std::to_string(columns_.size() - 1));
    }
    if (a <= last) {
      Fail("the indices of a sparse row must increase: " + std::to_string(a) + " follows " +
           std::to_string(last));
    }
    last = a;
    ArffColumn& column = columns_[a];
    const ArffScanner::Token value = NextValue(scanner, ",}");
    add_omitted(a);
    if (column.left_out) continue;
    if (omitted != nonzero_if_omitted_.end() && *omitted == a) ++omitted;
    if (column.label >= 0) {
      labels[column.label] = LabelValue(column, value);
    } else if (IsMissing(value)) {
      const double number = MissingNumber(&column);
      if (!column.one_hot) AddSparse(column, {0, number});
    } else {
      AddSparse(column, FeatureValue(column, value));
    }
  }
  add_omitted(static_cast<Index>(columns_.size()));
  scanner->Accept(',');
  ParseWeight(scanner);
  if (data_.has_constant) {
    features_.push_back(data_.num_features);
    values_.push_back(1);
  }
  rows_->AddSparse(features_, values_);
}

void ArffParser::AddSparse(const ArffColumn& column, std::pair<Index, double> feature) {
  features_.push_back(column.first_feature + feature.first);
  values_.push_back(feature.second);
}

/// Counts a missing value of the row being read. Returns the value to use if the column is one
/// feature; in training it is provisional.
double ArffParser::MissingNumber(ArffColumn* column) {
  ++column->missing;
  if (column->one_hot) return 0;
  if (!options_.for_prediction()) {
    missing_.push_back({rows_->size(), column->first_feature});
    return 0;
  }
  if (options_.fill_values.empty()) {
    Fail("attribute " + Quoted(column->name) +
         " has the value '?', but the model has no means of its training data to replace missing "
         "values: train the model again, on ARFF data");
  }
  return options_.fill_values[column->first_feature];
}

void ArffParser::Agree() {
  if (!options_.for_prediction()) {
    FeatureMeanSums sums =
        forgotten_ ? std::move(*forgotten_) : FeatureMeanSums(data_.num_features);
    sums.Add(*rows_, missing_);
    data_.fill_values = sums.Finish(ranks());
  }
  std::vector<std::int64_t> missing;
  for (const ArffColumn& column : columns_) missing.push_back(column.missing);
  ranks().AddUp(missing);
  label_words_.Agree(ranks());
  for (std::size_t a = 0; a < columns_.size(); ++a) columns_[a].missing = missing[a];
}

/// After training data have been read, replaces missing values by means. Missing categories stay 0.
void ArffParser::FillIn() {
  for (const ArffColumn& column : columns_) {
    if (column.label >= 0 || !column.one_hot) continue;
    std::fill_n(data_.fill_values.begin() + column.first_feature, column.width, 0.0);
  }
  if (!missing_.empty()) *rows_ = FillMissing(*rows_, missing_, data_.fill_values);
}

std::vector<std::string> ArffParser::Notes() const {
  std::vector<std::pair<std::string, Offset>> numeric;
  std::vector<std::pair<std::string, Offset>> categorical;
  for (const ArffColumn& column : columns_) {
    if (column.missing > 0)
      (column.one_hot ? categorical : numeric).emplace_back(column.name, column.missing);
  }
  std::vector<std::string> notes;
  AddMissingNotes(numeric, categorical, &notes);
  if (!left_out_.empty()) {
    notes.push_back(Count(static_cast<Offset>(left_out_.size()), "attribute") +
                    " unknown to the model left out: " + Quoted(left_out_.front()) +
                    (left_out_.size() > 1 ? ", …" : ""));
  }
  label_words_.AddNotes(&notes);
  return notes;
}

/// A row may end with an instance weight {w}. Only weight 1 is supported, because all examples
/// count the same.
void ArffParser::ParseWeight(ArffScanner* scanner) const {
  if (scanner->AtEnd()) return;
  if (!scanner->Accept('{')) Fail("text after the end of the row: " + Quoted(scanner->Rest()));
  const ArffScanner::Token token = NextValue(scanner, "}");
  double weight = 0;
  if (!ParseNumber(token.text, &weight))
    Fail("the instance weight " + Quoted(token.text) + " is not a finite number");
  if (weight != 1)
    Fail("instance weight " + Quoted(token.text) + ": weights other than 1 are not supported");
  if (!scanner->Accept('}')) Fail("the closing '}' of an instance weight is missing");
  if (!scanner->AtEnd()) Fail("text after the end of the row: " + Quoted(scanner->Rest()));
}

bool ArffParser::Next() {
  const std::size_t before = data_.lines.size();
  std::string_view line;
  while (reader_.Next(&line)) {
    ParseRow(line);
    if (data_.lines.size() == before) continue;  // an empty line
    any_ = true;
    return true;
  }
  if (!any_) throw DataError(reader_.source(), 0, "no examples after @data");
  return false;
}

MultiLabelData& ArffParser::Collect() {
  data_.rows = rows_;
  return data_;
}

void ArffParser::Forget() {
  if (!options_.for_prediction()) {
    if (!forgotten_) forgotten_ = std::make_unique<FeatureMeanSums>(data_.num_features);
    forgotten_->Add(*rows_, missing_);
    missing_.clear();
  }
  data_.labels.clear();
  data_.lines.clear();
  data_.files.Clear();
  rows_ = std::make_shared<FeatureRows>();
}

MultiLabelData ArffParser::CollectAll() {
  if (options_.for_prediction()) {
    data_.fill_values = options_.fill_values;
  } else {
    FillIn();
  }
  data_.rows = std::move(rows_);
  return std::move(data_);
}

}  // namespace

LineRole RoleOfArffLine(std::string_view line) {
  return ArffScanner(line).AtEnd() ? LineRole::kNothing : LineRole::kEnd;
}

std::unique_ptr<MultiLabelReader> MakeArffReader(LineReader* reader, std::string_view line,
                                                 const MultiLabelReadOptions& options) {
  const ArffHeader header = ReadArffHeader(reader, line);
  CheckArffOptions(header, options);
  return MakeArffReader(reader, header, options);
}

std::unique_ptr<MultiLabelReader> MakeArffReader(LineReader* rows, const ArffHeader& header,
                                                 const MultiLabelReadOptions& options) {
  return std::make_unique<ArffParser>(rows, header, options);
}

void CheckArffOptions(const ArffHeader& header, const MultiLabelReadOptions& options) {
  if (!options.labels_xml.empty() && !options.label_columns.empty())
    throw DataError(header.file, 0, "pass either --labels or --label-columns, not both");
  if (!options.label_names.empty() || !options.labels_xml.empty() ||
      !options.label_columns.empty() || header.relation_labels != 0)
    return;
  throw DataError(header.file, 0,
                  "an ARFF file does not say which attributes are labels, unless its relation has "
                  "-C N, as in MEKA: pass --labels FILE.xml, or --label-columns LIST, a list of "
                  "names, patterns such as 'tag_*', or positions");
}

}  // namespace slackline::internal
