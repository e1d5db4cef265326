// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_data.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/record_deal.h>
#include <slackline/core/split.h>

namespace slackline::internal {
namespace {

/// Blank lines are between examples, and comments may be anywhere.
LineRole RoleOfMatchingLine(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return LineRole::kSeparator;
  return line[first] == '#' ? LineRole::kNothing : LineRole::kPart;
}

class MatchingParser {
 public:
  MatchingParser(const std::string& source, const FeatureDictionary* dictionary)
      : name_(source), dictionary_(dictionary) {
    data_.source = source;
  }

  /// line: number `number` of the file `name`.
  void ParseLine(std::string_view line, long number, const std::string& name) {
    line_ = number;
    if (name_ != name) name_ = name;
    switch (RoleOfMatchingLine(line)) {
      case LineRole::kSeparator:
        inside_ = false;
        break;
      case LineRole::kNothing:
        break;
      case LineRole::kPart:
      case LineRole::kEnd:
        SplitAtBlanks(line, &fields_);
        inside_ ? ParseEdge() : ParseHeader();
        break;
    }
  }

  /// All ranks call this function.
  MatchingData Finish(Ranks& ranks, FeatureDictionary* made) {
    if (!ranks.Any(!data_.examples.empty())) throw DataError(data_.source, 0, "no examples");
    if (dictionary_ == nullptr) {
      std::vector<Index> columns;
      *made = counter_.Finish(ranks, 1, &columns);
      data_.num_features = made->size();
      if (!ranks.alone()) RenumberFeatures(columns);
    } else {
      data_.num_features = dictionary_->size();
      data_.unknown_features = ranks.SumOf(data_.unknown_features);
    }
    data_.rows = std::move(rows_);
    return std::move(data_);
  }

 private:
  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(name_, line_, message);
  }

  Index ParseCount(std::string_view token, const char* what) const {
    Index value = 0;
    if (!ParseIndex(token, &value)) Fail(Quoted(token) + " is not " + what);
    return value;
  }

  void ParseHeader() {
    if (fields_.size() != 2) {
      Fail("an example begins with the numbers of its left and its right nodes, not with " +
           Count(static_cast<Offset>(fields_.size()), "field") + " (" + Quoted(fields_[0]) + ")");
    }
    MatchingExample example;
    example.num_left = ParseCount(fields_[0], "a number of left nodes");
    example.num_right = ParseCount(fields_[1], "a number of right nodes");
    for (const Index count : {example.num_left, example.num_right}) {
      if (count > kMostMatchingNodes)
        Fail("a side has " + std::to_string(count) + " nodes, and at most " +
             std::to_string(kMostMatchingNodes) + " are possible");
    }
    example.first_edge = data_.num_edges();
    example.line = line_;
    if (name_ != data_.source) data_.files.Add(data_.num_examples(), name_);
    data_.examples.push_back(example);
    seen_.clear();
    inside_ = true;
  }

  Index ParseNode(std::string_view token, Index count, const char* side) const {
    const std::string what = std::string("a ") + side + " node";
    const Index node = ParseCount(token, what.c_str());
    if (node >= count) {
      Fail(Quoted(token) + " is not " + what + " of the example, which has " +
           std::to_string(count) + (count == 0 ? "" : ", counted from 0"));
    }
    return node;
  }

  void ParseLabel(std::string_view token, MatchingEdge* edge) const {
    edge->possible = token == "p";
    if (token == "?" || edge->possible) return;
    if (token != "0" && token != "1") Fail(Quoted(token) + " is not a label: 0, 1, p or ?");
    edge->label = token == "1" ? 1 : 0;
  }

  void ParseEdge() {
    if (fields_.size() < 3)
      Fail("an edge needs a left node, a right node and a label; the line ends after " +
           Quoted(fields_.back()));
    MatchingExample& example = data_.examples.back();
    MatchingEdge edge;
    edge.left = ParseNode(fields_[0], example.num_left, "left");
    edge.right = ParseNode(fields_[1], example.num_right, "right");
    ParseLabel(fields_[2], &edge);
    edge.line = line_;
    const std::int64_t pair = static_cast<std::int64_t>(edge.left) * example.num_right + edge.right;
    const auto [known, is_new] = seen_.try_emplace(pair, edge.line);
    if (!is_new) {
      Fail("the edge from " + Quoted(fields_[0]) + " to " + Quoted(fields_[1]) +
           " is given twice, first in line " + std::to_string(known->second));
    }
    if (data_.num_edges() == std::numeric_limits<Index>::max()) Fail("too many edges");
    ParseFeatures();
    data_.edges.push_back(edge);
    ++example.num_edges;
  }

  void ParseFeatures() {
    entries_.clear();
    for (std::size_t k = 3; k < fields_.size(); ++k) {
      const std::string_view token = fields_[k];
      const std::size_t colon = token.rfind(':');
      double value = 1;
      if (colon != std::string_view::npos &&
          (!ParseNumber(token.substr(colon + 1), &value) || std::abs(value) > kLargestValue)) {
        Fail(Quoted(token) + " does not end in a number after its last colon");
      }
      const std::string_view name = token.substr(0, colon);
      if (name.empty()) Fail(Quoted(token) + " is a feature without a name");
      const Index column = dictionary_ == nullptr ? counter_.Add(name) : dictionary_->Find(name);
      if (column == kAbsent) {
        ++data_.unknown_features;
      } else {
        entries_.push_back({column, value, token});
      }
    }
    AddRow(rows_.get());
  }

  /// Adds a row of the entries.
  void AddRow(FeatureRows* rows) {
    std::sort(entries_.begin(), entries_.end(),
              [](const Entry& a, const Entry& b) { return a.column < b.column; });
    columns_.clear();
    values_.clear();
    for (const Entry& entry : entries_) {
      if (!columns_.empty() && columns_.back() == entry.column)
        Fail("the feature of " + Quoted(entry.token) + " is given twice");
      columns_.push_back(entry.column);
      values_.push_back(entry.value);
    }
    rows->AddSparse(columns_, values_);
  }

  /// Replaces the columns of this rank, which become columns[column], in all rows.
  void RenumberFeatures(const std::vector<Index>& columns) {
    auto renumbered = std::make_shared<FeatureRows>();
    for (Index r = 0; r < rows_->size(); ++r) {
      const FeatureRow row = rows_->row(r);
      entries_.clear();
      for (Index k = 0; k < row.count; ++k)
        entries_.push_back({columns[row.columns[k]], row.values[k], {}});
      AddRow(renumbered.get());
    }
    rows_ = std::move(renumbered);
  }

  struct Entry {
    Index column;
    double value;
    std::string_view token;
  };

  std::string name_;
  long line_ = 0;
  const FeatureDictionary* dictionary_;
  FeatureCounter counter_;
  MatchingData data_;
  std::shared_ptr<FeatureRows> rows_ = std::make_shared<FeatureRows>();
  bool inside_ = false;                          // whether an example is being read
  std::unordered_map<std::int64_t, long> seen_;  // line of each pair of nodes of the example
  std::vector<std::string_view> fields_;
  std::vector<Entry> entries_;
  std::vector<Index> columns_;
  std::vector<double> values_;
};

/// All ranks call this function.
MatchingData ReadLines(LineReader* reader, Ranks& ranks, const FeatureDictionary* dictionary,
                       FeatureDictionary* made) {
  MatchingParser parser(reader->source(), dictionary);
  OnAllRanks(ranks, [&] {
    std::string_view line;
    while (reader->Next(&line)) parser.ParseLine(line, reader->line_number(), reader->name());
  });
  return parser.Finish(ranks, made);
}

}  // namespace

const std::string& MatchingData::FileOfEdge(Index edge) const {
  const auto after = std::upper_bound(
      examples.begin(), examples.end(), edge,
      [](Index e, const MatchingExample& example) { return e < example.first_edge; });
  return files.FileOf(static_cast<Index>(after - examples.begin()) - 1, source);
}

MatchingData ReadMatchings(const std::string& path, const FeatureDictionary* dictionary,
                           FeatureDictionary* made, const MatchingReadOptions& options) {
  SLACKLINE_CHECK((dictionary == nullptr) == (made != nullptr),
                  "either a dictionary is given or one is made");
  Ranks& ranks = RanksOrOne(options.ranks);
  if (ranks.alone() && !IsFolder(path)) {
    LineReader reader(path);
    return ReadLines(&reader, ranks, dictionary, made);
  }
  const DataSource source = FindDataSource(ranks, path);
  RecordRule rule;
  rule.role = [](std::string_view line, bool) { return RoleOfMatchingLine(line); };
  const Index shards = options.shards > 0 ? options.shards : Index{ranks.size()};
  LineReader reader(source.name, DealRecords(ranks, source, rule, shards));
  return ReadLines(&reader, ranks, dictionary, made);
}

MatchingData ParseMatchings(const std::string& name, std::span<const std::string> examples,
                            const FeatureDictionary* dictionary, FeatureDictionary* made) {
  MatchingParser parser(name, dictionary);
  std::vector<std::string_view> lines;
  long number = 0;
  for (const std::string& text : examples) {
    SplitViews(text, '\n', &lines);
    for (const std::string_view line : lines) parser.ParseLine(line, ++number, name);
    parser.ParseLine({}, ++number, name);
  }
  return parser.Finish(OneRank(), made);
}

}  // namespace slackline::internal
