// SPDX-License-Identifier: BSD-3-Clause
//
// What a new task costs: rankings, one permutation of the items of each query, as matchings of the
// items with positions. Item i in position j has the features x_i / log₂(j + 2), so that the best
// matching sorts the items by w·x_i. Data are in the format of SVMrank:
//
//   3 qid:1 length:2 age:0.5   an item: its grade, its query, features; higher grades come first,
//   1 qid:1 length:4           and equal ones in the order of the lines
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slackline/apps/common/row_maker.h>
#include <slackline/apps/matching/matching_task.h>
#include <slackline/core/check.h>
#include <slackline/core/line_reader.h>
#include <slackline/core/number_text.h>
#include <slackline/core/parse_number.h>
#include <slackline/core/quoted.h>
#include <slackline/core/split.h>

namespace slackline::internal::test {

/// Reads the queries of a file into matchings of items with positions.
class RankingReader {
 public:
  RankingReader(const std::string& path, const FeatureDictionary* dictionary)
      : reader_(path), dictionary_(dictionary) {}

  MatchingData Read(FeatureDictionary* made) {
    data_.source = reader_.source();
    std::vector<std::string_view> fields;
    for (std::string_view line; reader_.Next(&line);) {
      SplitAtBlanks(line.substr(0, line.find('#')), &fields);
      if (!fields.empty()) AddItem(fields);
    }
    EndQuery();
    if (data_.examples.empty()) throw DataError(data_.source, 0, "no items");
    if (dictionary_ == nullptr) {
      std::vector<Index> columns;
      *made = counter_.Finish(1, &columns);
      dictionary_ = made;
    }
    data_.num_features = dictionary_->size();
    data_.rows = rows_.Finish();
    return std::move(data_);
  }

 private:
  struct Item {
    double grade = 0;
    std::vector<std::pair<Index, double>> features;
  };

  [[noreturn]] void Fail(const std::string& message) const {
    throw DataError(reader_.name(), reader_.line_number(), message);
  }

  double Number(std::string_view text, const char* what) const {
    double number = 0;
    if (!ParseNumber(text, &number)) Fail(Quoted(text) + " is not " + what);
    return number;
  }

  void AddItem(const std::vector<std::string_view>& fields) {
    Item item;
    item.grade = Number(fields[0], "a grade");
    if (fields.size() < 2 || !fields[1].starts_with("qid:")) Fail("the second field is not qid:…");
    if (query_ != fields[1]) EndQuery();
    query_ = fields[1];
    for (const std::string_view field : std::span(fields).subspan(2)) {
      const std::size_t colon = field.rfind(':');
      if (colon == std::string_view::npos) Fail(Quoted(field) + " is not a feature NAME:VALUE");
      const std::string_view name = field.substr(0, colon);
      const Index column = dictionary_ != nullptr ? dictionary_->Find(name) : counter_.Add(name);
      const double value = Number(field.substr(colon + 1), "a value");
      if (column == kAbsent) {
        ++data_.unknown_features;
      } else {
        item.features.emplace_back(column, value);
      }
    }
    items_.push_back(std::move(item));
  }

  /// Makes the matching of the items with positions.
  void EndQuery() {
    if (items_.empty()) return;
    const auto n = static_cast<Index>(items_.size());
    std::vector<Index> order(items_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return items_[a].grade > items_[b].grade; });
    data_.examples.push_back({n, n, data_.num_edges(), n * n, reader_.line_number()});
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        MatchingEdge edge{i, j, order[j] == i ? 1 : 0};
        edge.line = reader_.line_number();
        data_.edges.push_back(edge);
        for (const auto& [column, value] : items_[i].features)
          rows_.Add(column, value / std::log2(j + 2.0));
        rows_.EndRow();
      }
    }
    items_.clear();
  }

  LineReader reader_;
  const FeatureDictionary* dictionary_;
  FeatureCounter counter_;
  std::string query_;
  std::vector<Item> items_;
  RowMaker rows_;
  MatchingData data_;
};

struct RankingMetrics {
  std::int64_t pairs = 0;  ///< of items of one query
  double agreement = 0;    ///< share of the pairs in the right order
  double first = 0;        ///< share of the queries whose first item is right
};

struct RankingTask : MatchingTask {
  using Metrics = RankingMetrics;
  static constexpr std::string_view kNoun = "query";
  static constexpr std::string_view kVariable = "position of an item";
  static constexpr const char* kAll = "all queries";
  static constexpr const char* kKernels = "rankings";
  static constexpr std::string_view kRecorded[] = {"loss", "scale"};
  static constexpr std::string_view kOutputs = "items";

  static std::span<const TaskOption> Options() {
    static constexpr TaskOption kOptions[] = {{.name = "loss",
                                               .placeholder = "mean|count",
                                               .text = "share or number of misplaced items",
                                               .default_value = "mean",
                                               .kind = TaskOption::Kind::kChoice},
                                              kScaleOption};
    return kOptions;
  }
  static std::pair<MatchingData, MatchingModel> Load(const TaskRequest& request) {
    FeatureDictionary dictionary;
    MatchingData data = RankingReader(request.path, nullptr).Read(&dictionary);
    return {std::move(data), MatchingModel(std::move(dictionary), {1, 1}, {0.5, 0.5})};
  }
  static MatchingData ReadFor(const MatchingModel& model, const std::string& path,
                              Ranks& /*ranks*/) {
    MatchingData data = RankingReader(path, &model.dictionary()).Read(nullptr);
    if (model.scaling().active()) data.rows = model.scaling().Apply(*data.rows, data.num_features);
    return data;
  }

  /// The positions of the items of a query; items that the matching leaves out come last.
  static std::vector<Index> PositionsOf(const MatchingExample& query,
                                        std::span<const Index> labels) {
    std::vector<Index> positions(query.num_left, query.num_left);
    for (Index e = 0; e < query.num_edges; ++e) {
      if (labels[query.first_edge + e] == 1) positions[e / query.num_right] = e % query.num_right;
    }
    return positions;
  }
  static RankingMetrics Evaluate(const MatchingModel& /*model*/, const MatchingData& data,
                                 const MatchingPredictions& predictions, Ranks& /*ranks*/) {
    RankingMetrics metrics;
    std::vector<Index> truth;
    for (const MatchingEdge& edge : data.edges) truth.push_back(edge.label);
    std::int64_t right = 0, first = 0;
    for (const MatchingExample& query : data.examples) {
      const std::vector<Index> given = PositionsOf(query, truth);
      const std::vector<Index> predicted = PositionsOf(query, predictions.labels);
      for (Index a = 0; a < query.num_left; ++a) {
        for (Index b = 0; b < a; ++b) {
          ++metrics.pairs;
          right += (given[a] < given[b]) == (predicted[a] < predicted[b]) ? 1 : 0;
        }
        first += given[a] == 0 && predicted[a] == 0 ? 1 : 0;
      }
    }
    metrics.agreement = metrics.pairs == 0 ? 0.0 : static_cast<double>(right) / metrics.pairs;
    metrics.first = static_cast<double>(first) / data.num_examples();
    return metrics;
  }
  static RankingMetrics Measure(const MatchingModel& model, const MatchingData& data,
                                const std::vector<Index>& queries, int threads) {
    const MatchingData held_out = Select(data, queries);
    return Evaluate(model, held_out, Predict(model, held_out, threads), OneRank());
  }
  static std::span<const TaskFigure<RankingMetrics>> Figures() {
    static constexpr TaskFigure<RankingMetrics> kFigures[] = {
        {{"agreement", "agreement", "pairs in order"}, &RankingMetrics::agreement},
        {{"first", "first", "first item"}, &RankingMetrics::first}};
    return kFigures;
  }

  static std::string LossText(const TaskOptions& options) { return options.Text("loss"); }
  static std::string DataLine(const TaskInput<RankingTask>& input, std::int64_t kept,
                              Ranks& /*ranks*/) {
    return "data: " + Count(kept, "query") + ", " + Count(input.data.num_features, "feature");
  }
  static std::string ModelText(const TaskOptions& options) {
    return "loss " + options.Text("loss");
  }
  static TaskEntries StartEntries(const TaskInput<RankingTask>& input,
                                  const TrainingSet& /*training*/) {
    return {{"features", std::int64_t{input.data.num_features}}};
  }
  static void Write(const MatchingData& data, Index example, const MatchingPredictions& predictions,
                    std::size_t /*output*/, bool /*before*/, std::string* text) {
    const MatchingExample& query = data.examples[example];
    const std::vector<Index> positions = PositionsOf(query, predictions.labels);
    std::vector<Index> items(positions.size());
    std::iota(items.begin(), items.end(), 0);
    std::stable_sort(items.begin(), items.end(),
                     [&](Index a, Index b) { return positions[a] < positions[b]; });
    for (std::size_t k = 0; k < items.size(); ++k)
      text->append(k == 0 ? "" : " ").append(std::to_string(items[k] + 1));
    text->push_back('\n');
  }
  static std::string Summary(const MatchingData& data, const MatchingPredictions& /*predictions*/,
                             Ranks& /*ranks*/) {
    return Count(data.num_examples(), "query");
  }
  static std::int64_t NumKnown(const RankingMetrics& metrics) { return metrics.pairs; }
  static TaskEntries MetricEntries(const RankingMetrics& metrics, const MatchingData& data) {
    return {{"queries", std::int64_t{data.num_examples()}},
            {"agreement", metrics.agreement},
            {"first", metrics.first}};
  }
  static std::string MetricsText(const RankingMetrics& metrics, const MatchingModel& /*model*/) {
    return "pairs in order  " + FixedText(metrics.agreement, 4) + "\nfirst item      " +
           FixedText(metrics.first, 4) + "\n";
  }
};

}  // namespace slackline::internal::test
