// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/global_problems.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include <slackline/factors/cardinality_factor.h>
#include <slackline/factors/model_builder.h>
#include <slackline/factors/table.h>
#include <slackline/factors/tree_factor.h>

namespace slackline::internal::test {
namespace {

struct GlobalBlocks {
  std::shared_ptr<WeightLayout> layout = std::make_shared<WeightLayout>();
  Index unary, pair, count, chain;
};

std::vector<Index> Draw(Random& random, Index from, Index count) {
  std::vector<Index> all(from);
  std::iota(all.begin(), all.end(), 0);
  random.Shuffle(std::span<Index>(all));
  all.resize(std::min(from, count));
  return all;
}

void AddCardinality(const GlobalProblemOptions& options, const std::vector<Index>& scope,
                    const GlobalBlocks& blocks, ModelBuilder* builder) {
  const auto size = static_cast<Index>(scope.size());
  if (!options.as_tables) {
    builder->AddGlobalFactor(scope, std::make_shared<CardinalityFactor>(size), blocks.count);
    return;
  }
  const std::vector<Index> cardinalities(scope.size(), 2);
  const auto table = TableFactor::FromFunction(
      cardinalities, size + 1, [](std::span<const Index> y, std::span<double> features) {
        features[std::accumulate(y.begin(), y.end(), 0)] = 1;
      });
  builder->AddFactor(scope, table, blocks.count);
}

void AddChain(const GlobalProblemOptions& options, const std::vector<Index>& scope,
              const GlobalBlocks& blocks, ModelBuilder* builder) {
  const TableFactor pair({options.states, options.states});
  if (!options.as_tables) {
    const auto chain = TreeFactor::Chain(static_cast<Index>(scope.size()), pair);
    builder->AddGlobalFactor(scope, std::make_shared<TreeFactor>(chain), blocks.chain);
    return;
  }
  for (std::size_t k = 0; k + 1 < scope.size(); ++k) {
    builder->AddFactor({scope[k], scope[k + 1]}, pair, blocks.chain);
  }
}

std::shared_ptr<const Structure> MakeStructure(Random& random, const GlobalProblemOptions& options,
                                               const GlobalBlocks& blocks) {
  ModelBuilder builder(blocks.layout);
  for (Index i = 0; i < options.num_variables; ++i) {
    builder.AddVariable(options.states);
    builder.AddLinearFeatures(i, blocks.unary, 0, {}, i * options.states);
  }
  const TableFactor pair({options.states, options.states});
  for (Index c = 0; c < options.num_pairs; ++c) {
    const std::vector<Index> scope = Draw(random, options.num_variables, 2);
    builder.AddFactor(scope, pair, blocks.pair, c * options.states * options.states);
  }
  for (Index copy = 0; copy < options.copies; ++copy) {
    if (options.cardinality)
      AddCardinality(options, Draw(random, options.num_variables, options.scope), blocks, &builder);
    if (options.chain)
      AddChain(options, Draw(random, options.num_variables, options.scope), blocks, &builder);
  }
  if (options.exactly_one) {
    builder.AddGlobalFactor(std::vector<Index>{0, 1, 2},
                            std::make_shared<CardinalityFactor>(CardinalityFactor::ExactlyOne(3)));
  }
  if (options.overlapping_bounds) {
    builder.AddGlobalFactor(std::vector<Index>{1, 2, 3}, std::make_shared<CardinalityFactor>(
                                                             CardinalityFactor::Between(3, 0, 2)));
  }
  return builder.Build();
}

}  // namespace

TrainingSet RandomGlobalProblem(std::uint64_t seed, const GlobalProblemOptions& options) {
  constexpr Index kDimension = 3;
  Random random(seed);
  GlobalBlocks blocks;
  const Index table = options.states * options.states;
  blocks.unary =
      blocks.layout->AddBlock("unary", options.num_variables * options.states, kDimension);
  blocks.pair = blocks.layout->AddBlock("pair", std::max(1, options.num_pairs) * table);
  blocks.count = blocks.layout->AddBlock("count", options.scope + 1);
  blocks.chain = blocks.layout->AddBlock("chain", table);
  auto rows = std::make_shared<FeatureRows>();
  std::vector<std::shared_ptr<const Structure>> structures;
  for (Index m = 0; m < options.num_examples; ++m) {
    structures.push_back(MakeStructure(random, options, blocks));
    std::vector<double> x;
    for (Index f = 0; f < kDimension; ++f) x.push_back(options.input_scale * random.Normal());
    rows->AddDense(x);
  }
  Dataset data(blocks.layout, rows);
  for (Index m = 0; m < options.num_examples; ++m) {
    std::vector<Index> labels;
    for (Index i = 0; i < options.num_variables; ++i)
      labels.push_back(
          static_cast<Index>(random.Below(static_cast<std::uint64_t>(options.states))));
    if (options.exactly_one) {
      const auto one = static_cast<Index>(random.Below(3));
      // One of the variables 0, 1, 2 is 1: with variable 3, at most two of the variables 1, 2, 3
      // are.
      for (Index i = 0; i < 3; ++i) labels[i] = i == one ? 1 : 0;
    }
    data.Add(structures[m], labels, m);
  }
  return MakeTrainingSet(data, LossOptions());
}

}  // namespace slackline::internal::test
