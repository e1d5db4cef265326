// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/multilabel_problems.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include <slackline/core/factor_graph_builder.h>

namespace slackline::internal::test {

namespace {

std::shared_ptr<const Structure> LabelStructure(Index num_labels, Index num_features, bool full) {
  FactorGraphBuilder graph;
  graph.AddVariables(num_labels, 2);
  for (Index i = 0; i < num_labels; ++i) {
    for (Index j = i + 1; j < (full ? num_labels : std::min(num_labels, i + 2)); ++j)
      graph.AddFactor({i, j});
  }
  const auto layout = std::make_shared<WeightLayout>();
  const Index labels = layout->AddBlock("labels", num_labels, num_features);
  const Index pairs = layout->AddBlock("pairs", std::max<Index>(1, graph.num_factors()));
  StructureBuilder builder(graph.Build(), layout);
  const Index on = builder.AddStateMap({{kAbsent, 0}, {}});
  const Index both = builder.AddStateMap({{kAbsent, kAbsent, kAbsent, 0}, {}});
  for (Index i = 0; i < num_labels; ++i) builder.AddLinear(i, labels, 0, on, i);
  for (Index c = 0; c < graph.num_factors(); ++c)
    builder.AddConstant(num_labels + c, pairs, both, c);
  return builder.Build();
}

}  // namespace

TrainingSet RandomMultiLabelProblem(Random& random, Index num_examples, Index num_labels,
                                    Index num_features, bool full, double threshold) {
  const auto structure = LabelStructure(num_labels, num_features, full);
  std::vector<double> truth = Normals(random, num_labels * num_features);
  const auto rows = std::make_shared<FeatureRows>();
  std::vector<std::vector<Index>> given;
  std::vector<double> x(num_features);
  for (Index m = 0; m < num_examples; ++m) {
    for (double& value : x) value = random.Normal();
    if (threshold != 0) x.back() = 1;
    rows->AddDense(x);
    std::vector<Index> y(num_labels);
    for (std::size_t i = 0; i < y.size(); ++i) {
      double score = random.Normal();
      for (std::size_t f = 0; f < x.size(); ++f) score += truth[i * x.size() + f] * x[f];
      y[i] = score > threshold ? 1 : 0;
    }
    given.push_back(std::move(y));
  }
  Dataset data(structure->shared_layout(), rows);
  for (Index m = 0; m < num_examples; ++m) data.Add(structure, given[m], m);
  return MakeTrainingSet(data, LossOptions{});
}

TrainingSet RandomTextProblem(Random& random, Index num_examples, Index num_labels,
                              Index num_features) {
  constexpr Index kWords = 8;
  const auto structure = LabelStructure(num_labels, num_features, false);
  std::vector<double> truth = Normals(random, num_labels * num_features);
  const auto rows = std::make_shared<FeatureRows>();
  Dataset data(structure->shared_layout(), rows);
  std::vector<Index> y(num_labels);
  for (Index m = 0; m < num_examples; ++m) {
    std::set<Index> words = {0};
    while (std::ssize(words) < kWords + 1) {
      const double place = random.Uniform() * random.Uniform() * random.Uniform();
      words.insert(1 + static_cast<Index>(place * (num_features - 1)));
    }
    const std::vector<Index> columns(words.begin(), words.end());
    const std::vector<double> values(columns.size(), 1.0);
    rows->AddSparse(columns, values);
    for (Index i = 0; i < num_labels; ++i) {
      double score = random.Normal();
      for (const Index column : columns) score += truth[i * num_features + column];
      y[i] = score > 0 ? 1 : 0;
    }
    data.Add(structure, y, m);
  }
  return MakeTrainingSet(data, LossOptions{});
}

}  // namespace slackline::internal::test
