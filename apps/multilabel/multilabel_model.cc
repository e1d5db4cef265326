// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multilabel/multilabel_model.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>

#include <slackline/apps/common/kernel_entries.h>
#include <slackline/apps/common/scaling_entries.h>
#include <slackline/apps/multilabel/calibration_entries.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/model_file.h>
#include <slackline/core/quoted.h>
#include <slackline/factors/cardinality_factor.h>

namespace slackline::internal {
namespace {

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

/// `constant`: whether labels have a constant feature besides their columns. `counts`: see
/// MakeDataset.
std::shared_ptr<const Structure> MakeStructure(Index labels, Index columns, bool constant,
                                               const std::vector<LabelPair>& pairs,
                                               CountRange counts) {
  auto layout = std::make_shared<WeightLayout>();
  const Index label_block = layout->AddBlock("labels", labels, columns);
  const Index constant_block = constant ? layout->AddBlock("bias", labels) : -1;
  const auto num_pairs = static_cast<Index>(pairs.size());
  const Index pair_block = num_pairs > 0 ? layout->AddBlock("pairs", num_pairs) : -1;
  FactorGraphBuilder graph;
  graph.AddVariables(labels, 2);
  for (const LabelPair& pair : pairs) graph.AddFactor({pair.a, pair.b});
  const bool counted = counts.Restricts(labels);
  if (counted) {
    std::vector<Index> all(labels);
    std::iota(all.begin(), all.end(), Index{0});
    graph.AddGlobalFactor(all);
  }
  StructureBuilder structure(graph.Build(), layout);
  if (counted) {
    structure.SetGlobalFactor(0,
                              std::make_shared<CardinalityFactor>(CardinalityFactor::Between(
                                  labels, counts.low, counts.Most(labels))),
                              -1);
  }
  const Index on = structure.AddStateMap({{kAbsent, 0}, {}});
  for (Index i = 0; i < labels; ++i) structure.AddLinear(i, label_block, 0, on, i);
  for (Index i = 0; i < labels && constant; ++i) structure.AddConstant(i, constant_block, on, i);
  const Index both_on = structure.AddStateMap({{kAbsent, kAbsent, kAbsent, 0}, {}});
  for (Index c = 0; c < num_pairs; ++c) structure.AddConstant(labels + c, pair_block, both_on, c);
  return structure.Build();
}

bool AreLossWeights(std::span<const double> weights, Index num_labels) {
  return (weights.empty() || std::ssize(weights) == 2 * Offset{num_labels}) && AllFinite(weights) &&
         std::all_of(weights.begin(), weights.end(), [](double weight) { return weight >= 0; });
}

void SaveLabelCounts(const CountRange& counts, Index num_labels, ModelWriter* writer) {
  // Without this entry (also in files of older versions) any number of labels is allowed.
  if (!counts.Restricts(num_labels)) return;
  writer->Add("label_counts", std::vector<std::int64_t>{counts.low, counts.Most(num_labels)});
}

CountRange LoadLabelCounts(const ModelEntries& entries, Index num_labels) {
  CountRange counts;
  if (!entries.file().Has("label_counts")) return counts;
  const auto bounds = entries.Integers("label_counts", 2);
  counts.low = entries.ToIndex("label_counts", bounds[0]);
  counts.high = entries.ToIndex("label_counts", bounds[1]);
  entries.Require(counts.Fits(num_labels) && counts.high <= num_labels, "label_counts");
  return counts;
}

std::vector<LabelPair> ReadPairs(const ModelEntries& entries, Index num_labels) {
  const auto flat = entries.file().Integers("pairs");
  entries.Require(flat.size() % 2 == 0, "pairs");
  std::vector<LabelPair> pairs;
  for (std::size_t k = 0; k < flat.size(); k += 2) {
    pairs.push_back({entries.ToIndex("pairs", flat[k]), entries.ToIndex("pairs", flat[k + 1])});
  }
  entries.Require(ArePairs(pairs, num_labels), "pairs");
  return pairs;
}

}  // namespace

MultiLabelModel::MultiLabelModel(std::vector<std::string> label_names, Index num_features,
                                 bool has_constant, std::vector<LabelPair> pairs, bool kernelized)
    : label_names_(std::move(label_names)),
      num_features_(num_features),
      has_constant_(has_constant),
      kernelized_(kernelized),
      pairs_(std::move(pairs)) {
  SLACKLINE_CHECK(!label_names_.empty() && AllDifferent(label_names_),
                  "a model needs labels with different names");
  SLACKLINE_CHECK(num_features >= 0 && num_features < std::numeric_limits<Index>::max() &&
                      num_features + (has_constant && !kernelized ? 1 : 0) > 0,
                  "a model needs at least one feature");
  SLACKLINE_CHECK(ArePairs(pairs_, num_labels()),
                  "pairs of labels must be different, sorted, and within the labels");
  structure_ = StructureWith({});
  const WeightLayout& layout = structure_->layout();
  weights_.assign(layout.size() - (kernelized ? layout.block(0).size() : 0), 0.0);
}

void MultiLabelModel::set_feature_names(std::vector<std::string> names) {
  SLACKLINE_CHECK(names.empty() || std::ssize(names) == num_features_,
                  "a model needs a name for every feature, or none");
  feature_names_ = std::move(names);
}

void MultiLabelModel::set_scaling(FeatureScaling scaling) {
  SLACKLINE_CHECK(scaling.Fits(num_features_), "a scaling needs numbers for every feature");
  scaling_ = std::move(scaling);
}

void MultiLabelModel::set_input(InputRecord input) {
  const Offset fill_values = std::ssize(input.fill_values);
  SLACKLINE_CHECK((fill_values == 0 && !input.table) || fill_values == num_features_,
                  "a model needs a fill value for every feature, or none");
  SLACKLINE_CHECK(!input.table || input.table->FeatureNames() == feature_names_,
                  "the columns of the table do not make the features of the model");
  input_ = std::move(input);
}

void MultiLabelModel::set_label_counts(CountRange counts) {
  SLACKLINE_CHECK(counts.Fits(num_labels()),
                  "the bounds on the number of labels do not fit the model");
  label_counts_ = counts;
}

void MultiLabelModel::set_loss_weights(std::vector<double> weights) {
  SLACKLINE_CHECK(AreLossWeights(weights, num_labels()),
                  "a model needs two loss weights for every label, or none");
  loss_weights_ = std::move(weights);
}

void MultiLabelModel::set_weights(std::vector<double> weights) {
  SLACKLINE_CHECK(weights.size() == weights_.size() && AllFinite(weights),
                  "the weights do not fit the model");
  weights_ = std::move(weights);
}

void MultiLabelModel::set_calibration(std::optional<LabelCalibration> calibration) {
  SLACKLINE_CHECK(!calibration || calibration->size() == label_names_.size(),
                  "a calibration needs a sigmoid for every label");
  calibration_ = std::move(calibration);
}

void MultiLabelModel::SetTrained(const Problem& problem, const TrainOptions& options,
                                 std::span<const double> weights) {
  SLACKLINE_CHECK(UsesKernel(options) == kernelized_,
                  "a kernelized model comes from training with a kernel");
  if (!kernelized_) {
    set_weights({weights.begin(), weights.end()});
    return;
  }
  const KernelExpansion expansion(problem.data());
  support_ = SupportOf(expansion, KernelOf(options, problem.data()), 0, weights);
  // The blocks of scalar features, one after the other. (The data lack a block that no label uses.)
  std::vector<double> scalars(weights_.size(), 0.0);
  const WeightLayout& layout = structure_->layout();
  for (const Index b : expansion.scalar_blocks()) {
    std::copy_n(weights.begin() + expansion.offset(b), layout.block(b).rows,
                scalars.begin() + (layout.block(b).offset - layout.block(0).size()));
  }
  set_weights(std::move(scalars));
}

void MultiLabelModel::Scores(const ExampleView& example, std::span<double> scores) const {
  if (!kernelized_) {
    ScoreTables(example, weights_, scores);
    return;
  }
  const Structure& structure = *structure_;
  std::vector<double> u(structure.num_coordinates(), 0.0);
  const Slot& slot = structure.slots()[0];
  if (support_)
    support_->Scores(example.input(slot.input), std::span(u).subspan(slot.coordinate, slot.rows));
  const WeightLayout& layout = structure.layout();
  for (const ScalarBlock& scalar : structure.scalar_blocks()) {
    std::copy_n(weights_.begin() + (layout.block(scalar.block).offset - layout.block(0).size()),
                scalar.rows, u.begin() + scalar.coordinate);
  }
  std::fill(scores.begin(), scores.end(), 0.0);
  AddScores(example, u, scores);
}

std::shared_ptr<const Structure> MultiLabelModel::StructureWith(CountRange counts) const {
  const Index columns = num_features_ + (has_constant_ && !kernelized_ ? 1 : 0);
  return MakeStructure(num_labels(), columns, has_constant_ && kernelized_, pairs_, counts);
}

Dataset MultiLabelModel::MakeDataset(const MultiLabelData& data, CountRange counts) const {
  SLACKLINE_CHECK(data.label_names == label_names_ && data.num_features == num_features_ &&
                      data.has_constant == (has_constant_ && !kernelized_),
                  "the data do not fit the model");
  const auto structure = counts.Restricts(num_labels()) ? StructureWith(counts) : structure_;
  Dataset dataset(structure->shared_layout(), data.rows);
  std::vector<Index> labels(label_names_.size());
  for (Index m = 0; m < data.num_examples(); ++m) {
    const auto begin = data.labels.begin() + static_cast<std::ptrdiff_t>(m * labels.size());
    std::copy_n(begin, labels.size(), labels.begin());
    dataset.Add(structure, labels, m);
  }
  return dataset;
}

MultiLabelReadOptions MultiLabelModel::ReadOptions() const {
  MultiLabelReadOptions options;
  options.label_names = label_names_;
  options.num_features = num_features_;
  options.feature_names = feature_names_;
  options.constant = has_constant_ && !kernelized_;
  options.scaling = scaling_;
  options.table = input_.table;
  options.fill_values = input_.fill_values;
  return options;
}

ModelWriter MultiLabelModel::File() const {
  ModelWriter writer;
  writer.Add("task", std::string(kMultiLabelTask));
  writer.Add("label_names", label_names_);
  writer.Add("sizes", std::vector<std::int64_t>{num_features_, has_constant_ ? 1 : 0});
  std::vector<std::int64_t> flat;
  for (const LabelPair& pair : pairs_) flat.insert(flat.end(), {pair.a, pair.b});
  writer.Add("pairs", flat);
  // Without this entry (also in files of older versions) features have no names.
  if (!feature_names_.empty()) writer.Add("feature_names", feature_names_);
  SaveScaling(scaling_, &writer);
  SaveInputRecord(input_, &writer);
  SaveLabelCounts(label_counts_, num_labels(), &writer);
  if (!loss_weights_.empty()) writer.Add("loss_weights", loss_weights_);
  writer.AddWeights("weights", weights_, record.single_precision);
  if (kernelized_) {
    SaveSupport(support_ ? *support_ : KernelSupport(Kernel{}, num_labels()), &writer);
  }
  SaveCalibration(calibration_, &writer);
  SaveRecord(record, &writer);
  return writer;
}

MultiLabelModel MultiLabelModel::Load(ModelReader file) {
  ModelEntries entries(std::move(file), kMultiLabelTask);
  const auto& names = entries.file().Strings("label_names");
  entries.Require(!names.empty() && std::ssize(names) < std::numeric_limits<Index>::max() &&
                      AllDifferent(names),
                  "label_names");
  const auto sizes = entries.Integers("sizes", 2);
  entries.Require(sizes[1] == 0 || sizes[1] == 1, "sizes");
  const Index num_features = entries.ToIndex("sizes", sizes[0]);
  const bool kernelized = HasSupport(entries);
  entries.Require(sizes[0] + (kernelized ? 0 : sizes[1]) > 0, "sizes");
  const auto num_labels = static_cast<Index>(names.size());
  std::vector<LabelPair> pairs = ReadPairs(entries, num_labels);
  // Checks the sizes before anything is allocated by them.
  const Offset expected =
      static_cast<Offset>(num_labels) * ((kernelized ? 0 : sizes[0]) + sizes[1]) +
      static_cast<Offset>(pairs.size());
  std::vector<double> weights = entries.TakeWeights(expected);

  MultiLabelModel model(names, num_features, sizes[1] == 1, std::move(pairs), kernelized);
  model.set_weights(std::move(weights));
  if (kernelized) model.support_ = LoadSupport(entries, num_labels, num_features);
  if (entries.file().Has("feature_names")) {
    const auto& features = entries.file().Strings("feature_names");
    entries.Require(std::ssize(features) == num_features, "feature_names");
    model.set_feature_names(features);
  }
  model.set_scaling(LoadScaling(entries, num_features));
  model.set_input(LoadInputRecord(entries, num_features, model.feature_names(), names));
  model.set_label_counts(LoadLabelCounts(entries, num_labels));
  if (entries.file().Has("loss_weights")) {
    const auto loss_weights = entries.file().Doubles("loss_weights");
    entries.Require(AreLossWeights(loss_weights, num_labels), "loss_weights");
    model.set_loss_weights({loss_weights.begin(), loss_weights.end()});
  }
  model.set_calibration(LoadCalibration(entries, num_labels));
  model.record = LoadRecord(entries);
  return model;
}

}  // namespace slackline::internal
