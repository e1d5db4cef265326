// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel_model.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_set>

#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/model_file.h>
#include <slackline/core/quoted.h>

namespace slackline {
namespace {

std::size_t Size(Offset n) { return static_cast<std::size_t>(n); }

bool AllDifferent(const std::vector<std::string>& names) {
  return std::unordered_set<std::string>(names.begin(), names.end()).size() == names.size();
}

bool ArePairs(const std::vector<LabelPair>& pairs, Index num_labels) {
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (pairs[k].a < 0 || pairs[k].a >= pairs[k].b || pairs[k].b >= num_labels) return false;
    if (k > 0 && !(pairs[k - 1] < pairs[k])) return false;
  }
  return static_cast<Offset>(pairs.size()) <= kMaxLabelPairs;
}

bool AllFinite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::shared_ptr<const Structure> MakeStructure(Index labels, Index columns,
                                               const std::vector<LabelPair>& pairs) {
  auto layout = std::make_shared<WeightLayout>();
  const Index label_block = layout->AddBlock("labels", labels, columns);
  const auto num_pairs = static_cast<Index>(pairs.size());
  const Index pair_block = num_pairs > 0 ? layout->AddBlock("pairs", num_pairs) : -1;
  FactorGraphBuilder graph;
  graph.AddVariables(labels, 2);
  for (const LabelPair& pair : pairs) graph.AddFactor({pair.a, pair.b});
  StructureBuilder structure(graph.Build(), layout);
  const Index on = structure.AddStateMap({{kAbsent, 0}, {}});
  for (Index i = 0; i < labels; ++i) structure.AddLinear(i, label_block, 0, on, i);
  const Index both_on = structure.AddStateMap({{kAbsent, kAbsent, kAbsent, 0}, {}});
  for (Index c = 0; c < num_pairs; ++c) structure.AddConstant(labels + c, pair_block, both_on, c);
  return structure.Build();
}

/// Reads entries of a model and refuses what does not fit.
class EntryReader {
 public:
  explicit EntryReader(const std::string& path) : path_(path), reader_(path) {
    const std::string task = reader_.Has("task") ? reader_.String("task") : "unknown";
    if (task != kMultiLabelTask) {
      throw DataError(
          path_, 0,
          "a model of another task: " + Quoted(task) + ", not '" + std::string(kMultiLabelTask) + "'");
    }
  }

  const ModelReader& file() const { return reader_; }

  void Require(bool good, const std::string& entry) const {
    if (!good) throw DataError(path_, 0, "the model is inconsistent: entry '" + entry + "' does not fit");
  }
  std::span<const std::int64_t> Integers(const std::string& entry, std::size_t count) const {
    const auto values = reader_.Integers(entry);
    Require(values.size() == count, entry);
    return values;
  }
  std::span<const double> Doubles(const std::string& entry, std::size_t count) const {
    const auto values = reader_.Doubles(entry);
    Require(values.size() == count, entry);
    return values;
  }
  /// The candidate with this name.
  template <class T>
  T Choose(const std::string& entry, std::initializer_list<T> candidates) const {
    const std::string& name = reader_.String(entry);
    for (const T candidate : candidates) {
      if (Name(candidate) == name) return candidate;
    }
    Require(false, entry);
    return *candidates.begin();
  }

 private:
  std::string path_;
  ModelReader reader_;
};

Index ToIndex(const EntryReader& entries, const std::string& entry, std::int64_t value) {
  entries.Require(value >= 0 && value < std::numeric_limits<Index>::max(), entry);
  return static_cast<Index>(value);
}

std::vector<LabelPair> ReadPairs(const EntryReader& entries, Index num_labels) {
  const auto flat = entries.file().Integers("pairs");
  entries.Require(flat.size() % 2 == 0, "pairs");
  std::vector<LabelPair> pairs;
  for (std::size_t k = 0; k < flat.size(); k += 2) {
    pairs.push_back({ToIndex(entries, "pairs", flat[k]), ToIndex(entries, "pairs", flat[k + 1])});
  }
  entries.Require(ArePairs(pairs, num_labels), "pairs");
  return pairs;
}

void SaveRecord(const TrainingRecord& record, ModelWriter* writer) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, value] : record.options) {
    names.push_back(name);
    values.push_back(value);
  }
  writer->Add("program", record.program);
  writer->Add("data", record.data);
  writer->Add("option_names", names);
  writer->Add("option_values", values);
  writer->Add("loss", record.loss);
  writer->Add("problem", std::string(Name(record.problem)));
  writer->Add("termination", std::string(Name(record.termination)));
  writer->Add("message", record.message);
  writer->Add("counts", std::vector<std::int64_t>{record.num_examples, record.passes});
  writer->Add("figures", std::vector<double>{record.lambda, record.primal, record.dual, record.gap,
                                             record.relative_gap, record.seconds, record.check_seconds});
}

TrainingRecord LoadRecord(const EntryReader& entries) {
  const ModelReader& file = entries.file();
  TrainingRecord record;
  record.program = file.String("program");
  record.data = file.String("data");
  const auto& names = file.Strings("option_names");
  const auto& values = file.Strings("option_values");
  entries.Require(names.size() == values.size(), "option_values");
  for (std::size_t k = 0; k < names.size(); ++k) record.options.emplace_back(names[k], values[k]);
  record.loss = file.String("loss");
  record.problem = entries.Choose("problem", {CertifiedProblem::kRelaxed, CertifiedProblem::kExact});
  record.termination = entries.Choose("termination", {Termination::kConverged, Termination::kMaxPasses,
                                                      Termination::kTimeLimit, Termination::kInterrupted});
  record.message = file.String("message");
  const auto counts = entries.Integers("counts", 2);
  record.num_examples = ToIndex(entries, "counts", counts[0]);
  record.passes = ToIndex(entries, "counts", counts[1]);
  const auto figures = entries.Doubles("figures", 7);
  record.lambda = figures[0];
  record.primal = figures[1];
  record.dual = figures[2];
  record.gap = figures[3];
  record.relative_gap = figures[4];
  record.seconds = figures[5];
  record.check_seconds = figures[6];
  return record;
}

}  // namespace

MultiLabelModel::MultiLabelModel(std::vector<std::string> label_names, Index num_features, bool has_constant,
                                 std::vector<LabelPair> pairs)
    : label_names_(std::move(label_names)),
      num_features_(num_features),
      has_constant_(has_constant),
      pairs_(std::move(pairs)) {
  SLACKLINE_CHECK(!label_names_.empty() && AllDifferent(label_names_),
                  "a model needs labels with different names");
  SLACKLINE_CHECK(num_features >= 0 && num_features < std::numeric_limits<Index>::max() &&
                      num_features + (has_constant ? 1 : 0) > 0,
                  "a model needs at least one feature");
  SLACKLINE_CHECK(ArePairs(pairs_, num_labels()),
                  "pairs of labels must be different, sorted, and within the labels");
  structure_ = MakeStructure(num_labels(), num_features + (has_constant ? 1 : 0), pairs_);
  weights_.assign(Size(structure_->layout().size()), 0.0);
}

void MultiLabelModel::set_feature_names(std::vector<std::string> names) {
  SLACKLINE_CHECK(names.empty() || names.size() == Size(num_features_),
                  "a model needs a name for every feature, or none");
  feature_names_ = std::move(names);
}

void MultiLabelModel::set_weights(std::vector<double> weights) {
  SLACKLINE_CHECK(weights.size() == weights_.size() && AllFinite(weights),
                  "the weights do not fit the model");
  weights_ = std::move(weights);
}

Dataset MultiLabelModel::MakeDataset(const MultiLabelData& data) const {
  SLACKLINE_CHECK(data.label_names == label_names_ && data.num_features == num_features_ &&
                      data.has_constant == has_constant_,
                  "the data do not fit the model");
  Dataset dataset(structure_->shared_layout(), data.rows);
  std::vector<Index> labels(label_names_.size());
  for (Index m = 0; m < data.num_examples(); ++m) {
    const auto begin = data.labels.begin() + static_cast<std::ptrdiff_t>(Size(m) * labels.size());
    std::copy_n(begin, labels.size(), labels.begin());
    dataset.Add(structure_, labels, m);
  }
  return dataset;
}

MultiLabelReadOptions MultiLabelModel::ReadOptions() const {
  MultiLabelReadOptions options;
  options.label_names = label_names_;
  options.num_features = num_features_;
  options.feature_names = feature_names_;
  options.append_constant = has_constant_;
  return options;
}

void MultiLabelModel::Save(const std::string& path) const {
  ModelWriter writer;
  writer.Add("task", std::string(kMultiLabelTask));
  writer.Add("label_names", label_names_);
  writer.Add("sizes", std::vector<std::int64_t>{num_features_, has_constant_ ? 1 : 0});
  std::vector<std::int64_t> flat;
  for (const LabelPair& pair : pairs_) flat.insert(flat.end(), {pair.a, pair.b});
  writer.Add("pairs", flat);
  // Files without this entry, also those of older versions, are of features without names.
  if (!feature_names_.empty()) writer.Add("feature_names", feature_names_);
  writer.Add("weights", weights_);
  SaveRecord(record, &writer);
  writer.Save(path);
}

MultiLabelModel MultiLabelModel::Load(const std::string& path) {
  const EntryReader entries(path);
  const auto& names = entries.file().Strings("label_names");
  entries.Require(
      !names.empty() && names.size() < Size(std::numeric_limits<Index>::max()) && AllDifferent(names),
      "label_names");
  const auto sizes = entries.Integers("sizes", 2);
  entries.Require(sizes[1] == 0 || sizes[1] == 1, "sizes");
  const Index num_features = ToIndex(entries, "sizes", sizes[0]);
  entries.Require(sizes[0] + sizes[1] > 0, "sizes");
  const auto num_labels = static_cast<Index>(names.size());
  std::vector<LabelPair> pairs = ReadPairs(entries, num_labels);
  // Before anything is allocated by these sizes.
  const Offset expected =
      static_cast<Offset>(num_labels) * (sizes[0] + sizes[1]) + static_cast<Offset>(pairs.size());
  const auto weights = entries.Doubles("weights", Size(expected));
  entries.Require(AllFinite(weights), "weights");

  MultiLabelModel model(names, num_features, sizes[1] == 1, std::move(pairs));
  model.set_weights({weights.begin(), weights.end()});
  if (entries.file().Has("feature_names")) {
    const auto& features = entries.file().Strings("feature_names");
    entries.Require(features.size() == Size(num_features), "feature_names");
    model.set_feature_names(features);
  }
  model.record = LoadRecord(entries);
  return model;
}

}  // namespace slackline
