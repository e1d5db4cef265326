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
    : class_names_(std::move(class_names)), inputs_(num_features) {
  SLACKLINE_CHECK(ClassesFit(class_names_),
                  "a model of classes needs at least two, with different names");
  SLACKLINE_CHECK(
      NumWeights(num_classes(), num_features, has_constant) <= std::numeric_limits<Index>::max(),
      "there are too many classes and features");
  auto layout = std::make_shared<WeightLayout>();
  class_block_ = layout->AddBlock("classes", num_classes(), num_features);
  if (has_constant) constant_block_ = layout->AddBlock("bias", num_classes());
  weights_.assign(layout->size(), 0.0);
  layout_ = std::move(layout);
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
      MakeStructure(layout_, num_classes(), num_features() + (has_constant() ? 1 : 0), kernelized);
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
  inputs_.SaveFeatures(&writer);
  writer.Add("constant", std::vector<std::int64_t>{has_constant() ? 1 : 0});
  // A kernelized model does not store the weights of "classes", which is the first block.
  const std::size_t first = support_ ? class_weights().size() : 0;
  SaveScaling(scaling(), &writer);
  writer.AddWeights("weights", std::span<const double>(weights_).subspan(first),
                    record.single_precision);
  if (support_) SaveSupport(*support_, &writer);
  inputs_.SaveReading(&writer);
  SaveRecord(record, &writer);
  return writer;
}

MulticlassModel MulticlassModel::Load(ModelReader file) {
  ModelEntries entries(std::move(file), kMulticlassTask);
  const auto& classes = entries.file().Strings("classes");
  entries.Require(ClassesFit(classes), "classes");
  ModelInputs inputs = ModelInputs::Load(entries);
  const Index num_features = inputs.num_features();
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
  model.inputs_ = std::move(inputs);
  model.set_weights(std::move(weights));
  if (kernelized) model.support_ = LoadSupport(entries, model.num_classes(), num_features);
  model.record = LoadRecord(entries);
  return model;
}

}  // namespace slackline::internal
