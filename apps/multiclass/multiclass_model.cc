// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/multiclass/multiclass_model.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include <slackline/apps/common/kernel_entries.h>
#include <slackline/apps/common/scaling_entries.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/factor_graph_builder.h>
#include <slackline/core/model_file.h>
#include <slackline/core/row_kernels.h>

namespace slackline::internal {
namespace {

bool ClassesFit(const std::vector<std::string>& names) {
  return names.size() >= 2 &&
         std::unordered_set<std::string>(names.begin(), names.end()).size() == names.size();
}

/// The number of weights of a model, without making the model.
Offset NumWeights(Offset classes, Offset features, bool constant) {
  return classes * (features + (constant ? 1 : 0));
}

/// The structure of all examples: with a kernel for the layout of the model, else for a layout in
/// which the constant is a feature.
std::shared_ptr<const Structure> MakeStructure(
    const std::shared_ptr<const WeightLayout>& model_layout, Index classes, Index columns,
    bool kernelized) {
  auto layout = model_layout;
  if (!kernelized) {
    auto joined = std::make_shared<WeightLayout>();
    joined->AddBlock("classes", classes, columns);
    layout = std::move(joined);
  }
  FactorGraphBuilder graph;
  graph.AddVariables(1, classes);
  StructureBuilder structure(graph.Build(), layout);
  const Index all = structure.AddStateMap(IdentityMap(classes));
  structure.AddLinear(0, 0, 0, all);
  if (layout->blocks().size() > 1) structure.AddConstant(0, 1, all);
  return structure.Build();
}

}  // namespace

MulticlassModel::MulticlassModel(std::vector<std::string> class_names, Index num_features,
                                 bool has_constant)
    : class_names_(std::move(class_names)), num_features_(num_features) {
  SLACKLINE_CHECK(ClassesFit(class_names_),
                  "a model of classes needs at least two, with different names");
  SLACKLINE_CHECK(num_features >= 1, "a model of classes needs features");
  SLACKLINE_CHECK(
      NumWeights(num_classes(), num_features, has_constant) <= std::numeric_limits<Index>::max(),
      "there are too many classes and features");
  auto layout = std::make_shared<WeightLayout>();
  class_block_ = layout->AddBlock("classes", num_classes(), num_features);
  if (has_constant) bias_block_ = layout->AddBlock("bias", num_classes());
  weights_.assign(layout->size(), 0.0);
  layout_ = std::move(layout);
}

void MulticlassModel::set_feature_names(std::vector<std::string> names) {
  SLACKLINE_CHECK(names.empty() || std::ssize(names) == num_features_,
                  "a model needs a name for every feature, or none");
  feature_names_ = std::move(names);
}

void MulticlassModel::set_scaling(FeatureScaling scaling) {
  SLACKLINE_CHECK(scaling.Fits(num_features_), "a scaling needs numbers for every feature");
  scaling_ = std::move(scaling);
}

void MulticlassModel::set_input(InputRecord input, std::string class_column) {
  const auto fill_values = static_cast<Index>(input.fill_values.size());
  SLACKLINE_CHECK(fill_values == 0 || fill_values == num_features_,
                  "a fill value is needed for every feature, or none");
  SLACKLINE_CHECK(!input.table || input.table->FeatureNames() == feature_names_,
                  "the features of the table are not those of the model");
  input_ = std::move(input);
  class_column_ = std::move(class_column);
}

MultiLabelReadOptions MulticlassModel::ReadOptions() const {
  MultiLabelReadOptions options;
  options.classes = true;
  options.label_names = class_names_;
  options.class_column = class_column_;
  options.num_features = num_features_;
  options.feature_names = feature_names_;
  options.scaling = scaling_;
  options.table = input_.table;
  options.fill_values = input_.fill_values;
  if (!input_.table && !feature_names_.empty()) {
    auto table = std::make_shared<TableSchema>();
    for (const std::string& name : feature_names_) table->columns.push_back({name, {}});
    options.table = std::move(table);
  }
  return options;
}

std::span<const double> MulticlassModel::costs() const {
  return record.costs.size() == class_names_.size() * class_names_.size()
             ? std::span<const double>(record.costs)
             : std::span<const double>();
}

Dataset MulticlassModel::MakeDataset(std::shared_ptr<const FeatureRows> rows,
                                     std::span<const Index> labels, bool kernelized) const {
  std::vector<Index> all(labels.size());
  std::iota(all.begin(), all.end(), 0);
  return MakeDataset(std::move(rows), labels, all, kernelized);
}

Dataset MulticlassModel::MakeDataset(std::shared_ptr<const FeatureRows> rows,
                                     std::span<const Index> labels, std::span<const Index> examples,
                                     bool kernelized) const {
  SLACKLINE_CHECK(rows != nullptr && rows->size() == std::ssize(labels),
                  "there must be a label per row");
  const std::shared_ptr<const Structure> structure =
      MakeStructure(layout_, num_classes(), num_features_ + (has_constant() ? 1 : 0), kernelized);
  Dataset dataset(structure->shared_layout(), std::move(rows));
  for (const Index m : examples) dataset.Add(structure, labels.subspan(Size(m), 1), m);
  return dataset;
}

void MulticlassModel::set_weights(std::vector<double> weights) {
  SLACKLINE_CHECK(weights.size() == weights_.size() && AllFinite(weights),
                  "the weights do not fit the model");
  weights_ = std::move(weights);
}

void MulticlassModel::SetTrained(const Problem& problem, const TrainOptions& options,
                                 std::span<const double> weights) {
  support_.reset();
  if (!UsesKernel(options)) return set_weights({weights.begin(), weights.end()});
  const KernelExpansion expansion(problem.data());
  support_ = SupportOf(expansion, KernelOf(options, problem.data()), class_block_, weights);
  std::vector<double> scalars(weights_.size(), 0.0);
  for (const Index b : expansion.scalar_blocks()) {
    const WeightBlock& block = layout_->block(b);
    std::copy_n(weights.begin() + expansion.offset(b), block.rows, scalars.begin() + block.offset);
  }
  set_weights(std::move(scalars));
}

std::span<const double> MulticlassModel::class_weights() const {
  return std::span<const double>(weights_).first(Size(layout_->block(class_block_).size()));
}

std::span<const double> MulticlassModel::constant_weights() const {
  return std::span<const double>(weights_).subspan(class_weights().size());
}

void MulticlassModel::Scores(const FeatureRow& x, std::span<double> scores) const {
  if (support_) {
    support_->Scores(x, scores);
  } else {
    RowScores(class_weights().data(), num_classes(), x, scores.data());
  }
  const std::span<const double> constants = constant_weights();
  for (std::size_t y = 0; y < constants.size(); ++y) scores[y] += constants[y];
}

void MulticlassModel::TrainingScores(const FeatureRow& x, std::span<double> scores) const {
  if (support_) return Scores(x, scores);
  // The weights of the constant are those of feature num_features().
  RowScores(weights_.data(), num_classes(), x, scores.data());
}

ModelWriter MulticlassModel::File() const {
  ModelWriter writer;
  writer.Add("task", std::string(kMulticlassTask));
  writer.Add("classes", class_names_);
  writer.Add("num_features", std::vector<std::int64_t>{num_features_});
  writer.Add("feature_names", feature_names_);
  writer.Add("constant", std::vector<std::int64_t>{has_constant() ? 1 : 0});
  // A kernelized model does not store the weights of "classes", which is the first block.
  const std::size_t first = support_ ? class_weights().size() : 0;
  SaveScaling(scaling_, &writer);
  writer.AddWeights("weights", std::span<const double>(weights_).subspan(first),
                    record.single_precision);
  if (support_) SaveSupport(*support_, &writer);
  SaveInputRecord(input_, &writer);
  if (!class_column_.empty()) writer.Add("class_column", class_column_);
  SaveRecord(record, &writer);
  return writer;
}

MulticlassModel MulticlassModel::Load(ModelReader file) {
  ModelEntries entries(std::move(file), kMulticlassTask);
  const auto& classes = entries.file().Strings("classes");
  entries.Require(ClassesFit(classes), "classes");
  const Index num_features =
      entries.ToIndex("num_features", entries.Integers("num_features", 1)[0]);
  entries.Require(num_features >= 1, "num_features");
  const std::int64_t constant = entries.Integers("constant", 1)[0];
  entries.Require(constant == 0 || constant == 1, "constant");
  // Checks the sizes before anything is allocated by them.
  const auto num_classes = static_cast<Offset>(classes.size());
  const bool kernelized = HasSupport(entries);
  const Offset size = NumWeights(num_classes, num_features, constant == 1);
  entries.Require(size <= std::numeric_limits<Index>::max(), "num_features");
  std::vector<double> weights =
      entries.TakeWeights(size - (kernelized ? num_classes * num_features : 0));
  if (kernelized) weights.insert(weights.begin(), num_classes * num_features, 0.0);
  MulticlassModel model(classes, num_features, constant == 1);
  const auto& names = entries.file().Strings("feature_names");
  entries.Require(names.empty() || std::ssize(names) == num_features, "feature_names");
  model.set_feature_names(names);
  model.set_weights(std::move(weights));
  if (kernelized) model.support_ = LoadSupport(entries, model.num_classes(), num_features);
  model.set_scaling(LoadScaling(entries, num_features));
  std::string class_column;
  if (entries.file().Has("class_column")) class_column = entries.file().String("class_column");
  InputRecord input = LoadInputRecord(entries, num_features, names, {class_column});
  entries.Require(class_column.empty() == (input.table == nullptr), "class_column");
  model.set_input(std::move(input), std::move(class_column));
  model.record = LoadRecord(entries);
  return model;
}

}  // namespace slackline::internal
