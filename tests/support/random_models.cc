// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/random_models.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <slackline/core/factor_graph_builder.h>

namespace slackline::internal::test {
namespace {

Index DrawIndex(Random& random, Index count) {
  return static_cast<Index>(random.Below(static_cast<std::uint64_t>(count)));
}

void AddShuffled(Random& random, std::vector<Index> scope, FactorGraphBuilder* builder) {
  random.Shuffle(std::span<Index>(scope));
  builder->AddFactor(scope);
}

GraphPtr RandomCycle(Random& random) {
  const Index states = 2 + DrawIndex(random, 2);
  return Cycle(3 + DrawIndex(random, 4), states);
}

}  // namespace

GraphPtr RandomForest(Random& random, Index n, Index max_states) {
  FactorGraphBuilder builder;
  for (Index i = 0; i < n; ++i) builder.AddVariable(1 + DrawIndex(random, max_states));
  for (Index i = 0; i < n; ++i) {
    const double kind = random.Uniform();
    if (kind < 0.3) builder.AddFactor({i});
    if (i == 0 || kind > 0.9) continue;  // a new component
    const Index earlier = DrawIndex(random, i);
    if (kind < 0.2 && i + 1 < n) {
      AddShuffled(random, {earlier, i, i + 1}, &builder);
      ++i;
    } else {
      AddShuffled(random, {earlier, i}, &builder);
    }
  }
  return builder.Build();
}

GraphPtr RandomGraph(Random& random, Index n, Index max_states, Index num_factors,
                     Index max_order) {
  FactorGraphBuilder builder;
  for (Index i = 0; i < n; ++i) builder.AddVariable(1 + DrawIndex(random, max_states));
  std::vector<Index> variables(n);
  for (Index i = 0; i < n; ++i) variables[i] = i;
  for (Index c = 0; c < num_factors && n > 0; ++c) {
    random.Shuffle(std::span<Index>(variables));
    const Index order = 1 + DrawIndex(random, std::min(max_order, n));
    builder.AddFactor(std::span<const Index>(variables.data(), order));
  }
  return builder.Build();
}

GraphPtr RandomBinaryPairs(Random& random, Index n, Index num_factors) {
  FactorGraphBuilder builder;
  builder.AddVariables(n, 2);
  for (Index c = 0; c < num_factors; ++c) {
    const Index i = DrawIndex(random, n);
    const Index j = DrawIndex(random, n);
    if (i == j) {
      builder.AddFactor({i});
    } else {
      builder.AddFactor({i, j});
    }
  }
  return builder.Build();
}

GraphPtr FullBinary(Index n) {
  FactorGraphBuilder builder;
  builder.AddVariables(n, 2);
  for (Index i = 0; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j) builder.AddFactor({i, j});
  }
  return builder.Build();
}

GraphPtr Cycle(Index n, Index states) {
  FactorGraphBuilder builder;
  builder.AddVariables(n, states);
  for (Index i = 0; i < n; ++i) builder.AddFactor({i, (i + 1) % n});
  return builder.Build();
}

GraphPtr Grid(Index rows, Index cols, Index states) {
  FactorGraphBuilder builder;
  builder.AddVariables(rows * cols, states);
  for (Index r = 0; r < rows; ++r) {
    for (Index k = 0; k < cols; ++k) {
      if (k + 1 < cols) builder.AddFactor({r * cols + k, r * cols + k + 1});
      if (r + 1 < rows) builder.AddFactor({r * cols + k, (r + 1) * cols + k});
    }
  }
  return builder.Build();
}

GraphPtr SmallGraph(Random& random, int number) {
  switch (number % 12) {
    case 0:
      return RandomForest(random, 0, 1);
    case 1:
      return RandomGraph(random, 1, 4, 2, 1);
    case 2:
      return RandomGraph(random, 2, 4, 3, 2);
    case 3:
      return RandomGraph(random, 4, 1, 4, 3);
    case 4:
      return RandomForest(random, 7, 3);
    case 5:
      return RandomForest(random, 7, 2);
    case 6:
      return RandomCycle(random);
    case 7:
      return Grid(2, 3, 3);
    case 8:
      return FullBinary(2 + DrawIndex(random, 6));
    case 9:
      return RandomGraph(random, 6, 3, 8, 3);
    case 10:
      return RandomGraph(random, 7, 2, 12, 2);
    default:
      return RandomGraph(random, 7, 3, 3, 3);
  }
}

std::vector<double> SmallScores(Random& random, const FactorGraph& graph, int number) {
  std::vector<double> scores = RandomScores(random, graph, 1.0);
  switch (number % 4) {
    case 1:
      return RandomIntegerScores(random, graph, 2);
    case 2:
      for (double& score : scores) score = -1 - std::abs(score);
      return scores;
    case 3:
      for (double& score : scores) score = random.Uniform() < 0.8 ? 0.0 : score;
      return scores;
    default:
      return scores;
  }
}

std::vector<Index> RandomLabels(Random& random, const FactorGraph& graph) {
  std::vector<Index> labels;
  for (const Index k : graph.cardinalities())
    labels.push_back(static_cast<Index>(random.Below(static_cast<std::uint64_t>(k))));
  return labels;
}

std::vector<double> RandomScores(Random& random, const FactorGraph& graph, double scale) {
  std::vector<double> scores = Normals(random, graph.total_states(), scale);
  return scores;
}

std::vector<double> RandomIntegerScores(Random& random, const FactorGraph& graph, Index bound) {
  std::vector<double> scores(graph.total_states());
  for (double& score : scores) score = DrawIndex(random, 2 * bound + 1) - bound;
  return scores;
}

std::vector<double> DenseBinaryScores(Random& random, const FactorGraph& graph, double strength) {
  std::vector<double> scores(graph.total_states(), 0.0);
  for (Index i = 0; i < graph.num_variables(); ++i) {
    scores[graph.state_offset(i) + 1] = random.Normal();
  }
  const double scale =
      strength / std::sqrt(static_cast<double>(std::max(1, graph.num_variables())));
  for (Index c = 0; c < graph.num_factors(); ++c) {
    scores[graph.factor_offset(c) + 3] = scale * random.Normal();
  }
  return scores;
}

double LabellingScore(const FactorGraph& graph, const std::vector<double>& scores,
                      const std::vector<Index>& labels) {
  double sum = 0;
  for (Index i = 0; i < graph.num_variables(); ++i) {
    sum += scores[graph.state_offset(i) + labels[i]];
  }
  for (Index c = 0; c < graph.num_factors(); ++c) {
    sum += scores[graph.factor_offset(c) + JointState(graph, c, labels)];
  }
  return sum;
}

}  // namespace slackline::internal::test
