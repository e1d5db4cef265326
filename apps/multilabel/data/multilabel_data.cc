// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/data/multilabel_data.h>

#include <algorithm>
#include <new>
#include <optional>
#include <pugixml.hpp>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <slackline/apps/converted/converted_reader.h>
#include <slackline/apps/multilabel/data/arff_reader.h>
#include <slackline/apps/multilabel/data/converted_data.h>
#include <slackline/apps/multilabel/data/csv_header.h>
#include <slackline/apps/multilabel/data/csv_reader.h>
#include <slackline/apps/multilabel/data/libsvm_reader.h>
#include <slackline/apps/multilabel/data/multilabel_reader.h>
#include <slackline/apps/multilabel/tables/csv_records.h>
#include <slackline/core/check.h>
#include <slackline/core/data_source.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/ranks.h>
#include <slackline/core/record_deal.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

std::string_view LocalName(const pugi::xml_node& node) {
  const std::string_view name = node.name();
  return name.substr(name.find(':') == std::string_view::npos ? 0 : name.find(':') + 1);
}

/// Finds the line numbers of offsets in a text. Ascending offsets take linear time in all.
class LineCounter {
 public:
  explicit LineCounter(std::string_view text) : text_(text) {}

  long LineOf(std::ptrdiff_t offset) {
    const std::size_t place =
        std::clamp(offset, std::ptrdiff_t{0}, static_cast<std::ptrdiff_t>(text_.size()));
    if (place < counted_) *this = LineCounter(text_);
    const std::string_view step = text_.substr(counted_, place - counted_);
    line_ += static_cast<long>(std::count(step.begin(), step.end(), '\n'));
    counted_ = place;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t counted_ = 0;
  long line_ = 1;  // of the offset counted_
};

/// Walks over the document in order, with a loop so that deep nesting cannot exhaust the stack.
class LabelCollector : public pugi::xml_tree_walker {
 public:
  LabelCollector(const std::string& path, LineCounter* lines_of)
      : path_(path), counter_(*lines_of) {}

  bool for_each(pugi::xml_node& node) override {
    if (node.type() != pugi::node_element || LocalName(node) != "label") return true;
    std::string name = node.attribute("name").value();
    const long line = counter_.LineOf(node.offset_debug());
    const auto fail = [&](const std::string& message) { throw DataError(path_, line, message); };
    if (name.empty()) fail("a label without a name");
    if (!seen_.insert(name).second) fail("label " + Quoted(name) + " is named twice");
    names.push_back(std::move(name));
    lines.push_back(line);
    return true;
  }

  std::vector<std::string> names;
  std::vector<long> lines;

 private:
  const std::string& path_;
  LineCounter& counter_;
  std::unordered_set<std::string> seen_;
};

/// Whether the token starts with an index and a colon, as index:value does.
bool IsSparseValue(std::string_view token) {
  const std::size_t colon = token.find(':');
  return colon != std::string_view::npos && colon > 0 &&
         token.substr(0, colon).find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether a first line is in LIBSVM's format: it has an index:value, or only labels.
bool LooksLikeLibsvm(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> tokens;
  SplitAtBlanks(line, &tokens);
  if (std::any_of(tokens.begin(), tokens.end(), IsSparseValue)) return true;
  return tokens.size() <= 1 && line.find_first_not_of("0123456789,? \t") == std::string_view::npos;
}

bool IsTable(MultiLabelFormat format) {
  return format == MultiLabelFormat::kCsv || format == MultiLabelFormat::kTsv;
}

/// Whether the first line of text is a comment. Tables have no comments: a header such as '% fat,…'
/// is not one.
bool IsComment(std::string_view text, const MultiLabelReadOptions& options) {
  if (text.front() != '%' || IsTable(options.format)) return false;
  const bool table = options.table || !options.label_columns.empty() || !options.labels_in.empty();
  return !(table && FindSeparator(text) != '\0');
}

void RefuseArff(const std::string& source, MultiLabelFormat format) {
  if (format == MultiLabelFormat::kArff)
    throw DataError(source, 0, "ARFF data have sets of labels: save data with classes as CSV");
}

/// The format of data whose first line is `line`.
MultiLabelFormat FormatOf(const std::string& source, std::string_view line,
                          const MultiLabelReadOptions& options) {
  RefuseConverted(source, line);
  if (line.starts_with("PK\x03\x04") || line.find('\0') != std::string_view::npos) {
    throw DataError(
        source, 0,
        "not a text in UTF-8 (a spreadsheet, an archive, or UTF-16?): save the data as CSV, UTF-8");
  }
  if (options.format != MultiLabelFormat::kAuto) return options.format;
  if (line[line.find_first_not_of(" \t")] == '@') return MultiLabelFormat::kArff;
  if (!options.label_columns.empty() || !options.labels_in.empty()) return MultiLabelFormat::kCsv;
  if (LooksLikeLibsvm(line)) return MultiLabelFormat::kLibsvm;
  return options.table || FindSeparator(line) != '\0' ? MultiLabelFormat::kCsv
                                                      : MultiLabelFormat::kLibsvm;
}

/// Throws DataError on options or a model of another format.
void CheckFormat(const std::string& source, MultiLabelFormat format,
                 const MultiLabelReadOptions& options) {
  if (options.classes) RefuseArff(source, format);
  if (!options.labels_in.empty() && !IsTable(format))
    throw DataError(source, 0, "--labels-in belongs to tables (CSV, TSV)");
  if (IsTable(format) || format == MultiLabelFormat::kArff) return;
  if (!options.label_columns.empty() || !options.ignore_columns.empty()) {
    throw DataError(
        source, 0,
        (options.classes ? "--label-column" : "--label-columns") +
            std::string(" and --ignore-columns belong to data with names of columns (CSV, TSV, "
                        "ARFF), but the data are LIBSVM; pass --format csv if they are not"));
  }
  if (options.table && format == MultiLabelFormat::kLibsvm) {
    throw DataError(source, 0,
                    "the model was trained on a table with names of columns, which LIBSVM data do "
                    "not have; pass --format csv if they are a table");
  }
}

void CheckFillValues(const MultiLabelReadOptions& options) {
  const auto fill_values = static_cast<Offset>(options.fill_values.size());
  SLACKLINE_CHECK(fill_values == 0 || fill_values == options.num_features,
                  "a fill value is needed for every feature, or none");
  SLACKLINE_CHECK(!options.table || (options.classes && fill_values == 0) ||
                      fill_values == options.table->num_features(),
                  "fill values are needed for all features of the table");
}

/// Reads up to the first line with text that is no comment; nullopt if there is none.
std::optional<std::string_view> FindText(LineReader* lines, const MultiLabelReadOptions& options) {
  std::string_view line;
  while (lines->Next(&line)) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos && !IsComment(line.substr(first), options)) return line;
  }
  return std::nullopt;
}

/// The same; throws DataError without such a line.
std::string_view FirstText(LineReader* lines, const MultiLabelReadOptions& options) {
  const std::optional<std::string_view> line = FindText(lines, options);
  if (!line) throw DataError(lines->source(), 0, "no examples");
  return *line;
}

/// The format of data whose first line was just read. Throws DataError on options or a model of
/// another format.
MultiLabelFormat CheckedFormat(const LineReader& lines, std::string_view line,
                               const MultiLabelReadOptions& options) {
  const MultiLabelFormat format = FormatOf(lines.name(), line, options);
  CheckFormat(lines.name(), format, options);
  return format;
}

/// Reads the examples of one of several ranks, or the examples of a folder.
class DealtReader {
 public:
  DealtReader(const std::string& path, const MultiLabelReadOptions& options)
      : options_(options),
        ranks_(RanksOrOne(options.ranks)),
        source_(FindDataSource(ranks_, path)) {}

  MultiLabelData Read() {
    MultiLabelInput input;
    const bool any = Open(&input);
    OnAllRanks(ranks_, [&] {
      while (any && input.reader->Next()) {
      }
    });
    return input.reader->Finish();
  }
  /// Returns whether this rank has any examples.
  bool Open(MultiLabelInput* input) {
    CheckFillValues(options_);
    OnAllRanks(ranks_, [&] { Begin(); });
    const Index shards = options_.shards > 0 ? options_.shards : Index{ranks_.size()};
    std::vector<FilePart> parts = DealRecords(ranks_, source_, Rule(), shards);
    const bool any = !parts.empty();
    input->lines = std::make_unique<LineReader>(source_.name, std::move(parts));
    OnAllRanks(ranks_, [&] {
      LineReader* const lines = input->lines.get();
      input->reader = arff()    ? MakeArffReader(lines, header_, options_)
                      : table() ? MakeCsvReader(lines, table_header_, options_)
                                : MakeLibsvmReader(lines, std::nullopt, options_);
    });
    return any;
  }

 private:
  bool arff() const { return format_ == MultiLabelFormat::kArff; }
  bool table() const { return IsTable(format_); }

  /// Every rank reads the head of the data.
  void Begin() {
    LineReader lines = ReaderOf(source_);
    const std::string_view line = FirstText(&lines, options_);
    format_ = CheckedFormat(lines, line, options_);
    if (table()) table_header_ = ReadCsvHead(&lines, line, options_);
    if (!arff()) return;
    header_ = ReadArffHeader(&lines, line);
    CheckArffOptions(header_, options_);
  }

  RecordRule Rule() const {
    RecordRule rule;
    rule.role = [this](std::string_view line, bool open) {
      return arff()    ? RoleOfArffLine(line)
             : table() ? RoleOfTableLine(line, table_header_.separator, open)
                       : RoleOfLibsvmLine(line);
    };
    rule.head = [this](LineReader* file) {
      const std::optional<std::string_view> line = FindText(file, options_);
      if (!line) return file->next_begin();
      if (arff()) {
        CheckSameHeader(header_, ReadArffHeader(file, *line));
      } else if (table()) {
        CheckSameHeader(table_header_, ReadCsvHeader(file, *line, table_header_.separator));
      } else {
        return file->line_begin();
      }
      return file->next_begin();
    };
    if (table()) rule.no_records = "no examples after the header";
    if (arff()) rule.no_records = "no examples after @data";
    return rule;
  }

  const MultiLabelReadOptions& options_;
  Ranks& ranks_;
  const DataSource source_;
  MultiLabelFormat format_ = MultiLabelFormat::kAuto;
  ArffHeader header_;
  CsvHeader table_header_;
};

}  // namespace

bool IsTableFile(const std::string& path, const MultiLabelReadOptions& options) {
  LineReader lines = ReaderOf(FindDataSource(OneRank(), path));
  return IsTable(CheckedFormat(lines, FirstText(&lines, options), options));
}

std::vector<std::string> ReadMulanLabelNames(const std::string& path, std::vector<long>* lines) {
  LineReader reader(path);
  const std::string text = ReadAll(&reader);
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(text.data(), text.size());
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  LineCounter counter(text);
  if (!result)
    throw DataError(reader.name(), counter.LineOf(result.offset),
                    std::string("not XML: ") + result.description());
  pugi::xml_node root = document.document_element();
  if (LocalName(root) != "labels") {
    throw DataError(reader.name(), counter.LineOf(root.offset_debug()),
                    "not a file of label names: the outermost element is <" +
                        std::string(root.name()) + ">, not <labels>");
  }
  LabelCollector collector(reader.name(), &counter);
  root.traverse(collector);
  if (collector.names.empty()) throw DataError(reader.name(), 0, "no labels");
  if (lines != nullptr) *lines = collector.lines;
  return collector.names;
}

std::string_view Name(MultiLabelFormat format) {
  switch (format) {
    case MultiLabelFormat::kAuto:
      return "auto";
    case MultiLabelFormat::kArff:
      return "arff";
    case MultiLabelFormat::kLibsvm:
      return "libsvm";
    case MultiLabelFormat::kCsv:
      return "csv";
    case MultiLabelFormat::kTsv:
      return "tsv";
  }
  return "";
}

std::unique_ptr<MultiLabelReader> OpenMultiLabelData(LineReader* lines,
                                                     const MultiLabelReadOptions& options) {
  CheckFillValues(options);
  const std::string_view line = FirstText(lines, options);
  const MultiLabelFormat format = CheckedFormat(*lines, line, options);
  return format == MultiLabelFormat::kArff     ? MakeArffReader(lines, line, options)
         : format == MultiLabelFormat::kLibsvm ? MakeLibsvmReader(lines, line, options)
                                               : MakeCsvReader(lines, line, options);
}

MultiLabelInput OpenMultiLabelInput(const std::string& path, const MultiLabelReadOptions& options) {
  MultiLabelInput input;
  if (IsFolder(path)) {
    DealtReader(path, options).Open(&input);
  } else {
    input.lines = std::make_unique<LineReader>(path);
    input.reader = OpenMultiLabelData(input.lines.get(), options);
  }
  return input;
}

MultiLabelData ReadMultiLabelData(const std::string& path, const MultiLabelReadOptions& options) {
  if (IsConverted(RanksOrOne(options.ranks), path)) {
    if (options.classes)
      throw DataError(path, 0, "converted data have sets of labels, not classes");
    return ReadConverted(path, options);
  }
  const bool alone = options.ranks == nullptr || options.ranks->alone();
  if (!alone || IsFolder(path)) {
    MultiLabelReadOptions dealt = options;
    if (!dealt.memory) dealt.memory = SharedMemory(RanksOrOne(options.ranks));
    return DealtReader(path, dealt).Read();
  }
  LineReader lines(path);
  return ReadAllExamples(OpenMultiLabelData(&lines, options).get());
}

void ExampleCollector::Add(const MultiLabelData& data, Index m) {
  SLACKLINE_CHECK(m >= 0 && m < data.num_examples(), "there is no such example");
  if (rows_ == nullptr) Begin(data);
  const FeatureRow row = data.rows->row(m);
  const std::span<const double> values(row.values, row.count);
  if (row.dense()) {
    rows_->AddDense(values);
  } else {
    rows_->AddSparse(std::span<const Index>(row.columns, row.count), values);
  }
  const std::size_t labels = data.label_names.size();
  if (!data.numbers.empty()) {
    data_.numbers.push_back(data.numbers[m]);
  } else if (data.classes.empty()) {
    const auto begin = data.labels.begin() + static_cast<std::ptrdiff_t>(m * labels);
    data_.labels.insert(data_.labels.end(), begin, begin + static_cast<std::ptrdiff_t>(labels));
  } else {
    data_.classes.push_back(data.classes[m]);
  }
  if (data.FileOf(m) != data_.source) data_.files.Add(data_.num_examples(), data.FileOf(m));
  data_.lines.push_back(data.lines[m]);
}

void ExampleCollector::Begin(const MultiLabelData& data) {
  data_ = {};
  data_.source = data.source;
  data_.label_names = data.label_names;
  data_.class_column = data.class_column;
  data_.num_features = data.num_features;
  data_.has_constant = data.has_constant;
  data_.fill_values = data.fill_values;
  data_.table = data.table;
  rows_ = std::make_shared<FeatureRows>();
}

MultiLabelData ExampleCollector::Take() {
  data_.rows = std::exchange(rows_, nullptr);
  return std::exchange(data_, {});
}

MultiLabelData SelectExamples(const MultiLabelData& data, std::span<const Index> examples) {
  ExampleCollector part;
  part.Begin(data);
  for (const Index m : examples) part.Add(data, m);
  return part.Take();
}

}  // namespace slackline::internal
