// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/apps/matching/matching_model.h>

#include <array>
#include <cmath>
#include <utility>

#include <slackline/apps/common/scaling_entries.h>
#include <slackline/core/all_finite.h>
#include <slackline/core/check.h>
#include <slackline/core/model_file.h>
#include <slackline/core/number_text.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>

namespace slackline::internal {
namespace {

bool CostsFit(const MatchingCosts& costs) {
  return std::isfinite(costs.precision) && std::isfinite(costs.recall) && costs.precision >= 0 &&
         costs.recall >= 0;
}

/// Throws DataError at the first true edge that exceeds the capacity of its node.
void CheckCapacity(const MatchingData& data, const MatchingExample& example, bool left,
                   Index capacity) {
  if (capacity == 0) return;
  std::vector<Index> used(left ? example.num_left : example.num_right, 0);
  for (const MatchingEdge& edge : data.edges_of(example)) {
    if (edge.label != 1) continue;
    const Index node = left ? edge.left : edge.right;
    if (++used[node] <= capacity) continue;
    const std::string side = left ? "left" : "right";
    throw DataError(data.FileOfEdge(example.first_edge), edge.line,
                    side + " node " + std::to_string(node) + " has more than " +
                        Count(capacity, "edge") + " with label 1, which --" + side +
                        "-capacity does not allow");
  }
}

}  // namespace

MatchingModel::MatchingModel(FeatureDictionary dictionary, MatchingCapacities capacities,
                             MatchingCosts costs)
    : dictionary_(std::move(dictionary)), capacities_(capacities), costs_(costs) {
  SLACKLINE_CHECK(capacities.left >= 0 && capacities.right >= 0, "a capacity is negative");
  SLACKLINE_CHECK(CostsFit(costs), "costs must be finite and not negative");
  auto layout = std::make_shared<WeightLayout>();
  if (dictionary_.size() > 0) edge_block_ = layout->AddBlock("edge", 1, dictionary_.size());
  constant_block_ = layout->AddBlock("bias", 1);
  layout_ = std::move(layout);
  weights_.assign(layout_->size(), 0.0);
}

MatchingFactor MatchingModel::MakeFactor(const MatchingExample& example,
                                         std::span<const MatchingEdge> edges) const {
  std::vector<MatchingFactor::Edge> pairs;
  for (const MatchingEdge& edge : edges) pairs.push_back({edge.left, edge.right});
  const auto count = static_cast<Index>(edges.size());  // as good as no limit
  return {example.num_left, example.num_right, std::move(pairs),
          capacities_.left == 0 ? count : capacities_.left,
          capacities_.right == 0 ? count : capacities_.right};
}

std::shared_ptr<const Structure> MatchingModel::MakeStructure(
    const MatchingExample& example, std::span<const MatchingEdge> edges) const {
  SLACKLINE_CHECK(!edges.empty(), "an example without edges has no structure");
  const std::array<Index, 2> chosen = {kAbsent, 0};
  ModelBuilder builder(layout_);
  const FactorType constant = builder.Register(TableFactor({2}, 1, StateMap{{kAbsent, 0}, {}}));
  std::vector<Index> scope;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Index e = builder.AddVariable(2);
    if (edge_block_ >= 0) builder.AddLinearFeatures(e, edge_block_, e, chosen);
    builder.AddVariableFeatures(e, constant, constant_block_);
    scope.push_back(e);
  }
  builder.AddGlobalFactor(scope, std::make_shared<MatchingFactor>(MakeFactor(example, edges)));
  return builder.Build();
}

Dataset MatchingModel::MakeTrainingData(const MatchingData& data) const {
  SLACKLINE_CHECK(data.rows != nullptr && data.num_features == dictionary_.size(),
                  "the data do not have the features of the model");
  // The inputs of an example must be consecutive rows, so rows are copied without those of edges
  // whose label is unknown.
  auto rows = std::make_shared<FeatureRows>();
  struct Kept {
    const MatchingExample* example;
    Index first_row;
    std::vector<MatchingEdge> edges;
  };
  std::vector<Kept> kept;
  for (const MatchingExample& example : data.examples) {
    CheckCapacity(data, example, true, capacities_.left);
    CheckCapacity(data, example, false, capacities_.right);
    Kept own{&example, rows->size(), {}};
    for (Index e = example.first_edge; e < example.first_edge + example.num_edges; ++e) {
      if (data.edges[e].label == kUnlabelled) continue;
      own.edges.push_back(data.edges[e]);
      const FeatureRow row = data.rows->row(e);
      rows->AddSparse(std::span(row.columns, row.count), std::span(row.values, row.count));
    }
    if (!own.edges.empty()) kept.push_back(std::move(own));
  }
  Dataset dataset(layout_, rows);
  std::vector<Index> labels;
  for (const Kept& own : kept) {
    labels.clear();
    for (const MatchingEdge& edge : own.edges) labels.push_back(edge.label);
    dataset.Add(MakeStructure(*own.example, own.edges), labels, own.first_row);
  }
  return dataset;
}

LossOptions MatchingModel::Loss(LossScale scale) const {
  LossOptions loss;
  loss.scale = scale;
  loss.costs = {0, costs_.precision, costs_.recall, 0};
  return loss;
}

double MatchingModel::EdgeScore(const MatchingData& data, Index edge) const {
  double score = weights_[layout_->block(constant_block_).offset];
  if (edge_block_ < 0) return score;
  const double* weights = weights_.data() + layout_->block(edge_block_).offset;
  const FeatureRow row = data.rows->row(edge);
  for (Index f = 0; f < row.count; ++f) score += weights[row.columns[f]] * row.values[f];
  return score;
}

void MatchingModel::set_scaling(FeatureScaling scaling) {
  SLACKLINE_CHECK(scaling.Fits(dictionary_.size()), "a scaling needs numbers for every feature");
  scaling_ = std::move(scaling);
}

void MatchingModel::set_weights(std::vector<double> weights) {
  SLACKLINE_CHECK(weights.size() == weights_.size() && AllFinite(weights),
                  "the weights do not fit the model");
  weights_ = std::move(weights);
}

ModelWriter MatchingModel::File() const {
  ModelWriter writer;
  writer.Add("task", std::string(kMatchingTask));
  writer.Add("dictionary", dictionary_.Text());
  writer.Add("capacities", std::vector<std::int64_t>{capacities_.left, capacities_.right});
  writer.Add("costs", std::vector<double>{costs_.precision, costs_.recall});
  SaveScaling(scaling_, &writer);
  writer.AddWeights("weights", weights_, record.single_precision);
  SaveRecord(record, &writer);
  return writer;
}

MatchingModel MatchingModel::Load(ModelReader file) {
  ModelEntries entries(std::move(file), kMatchingTask);
  FeatureDictionary dictionary =
      FeatureDictionary::FromText(entries.file().String("dictionary"), entries.path());
  const auto capacities = entries.Integers("capacities", 2);
  const auto costs = entries.Doubles("costs", 2);
  entries.Require(CostsFit({costs[0], costs[1]}), "costs");
  MatchingModel model(
      std::move(dictionary),
      {entries.ToIndex("capacities", capacities[0]), entries.ToIndex("capacities", capacities[1])},
      {costs[0], costs[1]});
  model.set_weights(entries.TakeWeights(model.weights().size()));
  model.set_scaling(LoadScaling(entries, model.dictionary().size()));
  model.record = LoadRecord(entries);
  return model;
}

MatchingData ReadMatchingsFor(const MatchingModel& model, const std::string& path, Ranks& ranks) {
  MatchingReadOptions options;
  options.ranks = &ranks;
  MatchingData data = ReadMatchings(path, &model.dictionary(), nullptr, options);
  if (!model.scaling().active()) return data;
  OnAllRanks(ranks, [&] {
    try {
      data.rows = model.scaling().Apply(*data.rows, data.num_features);
    } catch (const ScaleError& error) {
      throw DataError(data.FileOfEdge(error.row()), data.edges[error.row()].line, error.what());
    }
  });
  return data;
}

}  // namespace slackline::internal
