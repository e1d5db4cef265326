// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/labelling_sampler.h>

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/factors/joint_states.h>

#include "tests/support/agreement.h"
#include "tests/support/multiclass_problems.h"
#include "tests/support/random_models.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

namespace {

double Score(const FactorGraph& graph, std::span<const double> scores, const Labelling& labels) {
  double score = 0;
  for (Index i = 0; i < graph.num_variables(); ++i)
    score += scores[graph.state_offset(i) + labels[i]];
  for (Index c = 0; c < graph.num_factors(); ++c)
    score += scores[graph.factor_offset(c) + JointState(graph, c, labels)];
  return score;
}

std::vector<double> AllScores(const FactorGraph& graph, std::span<const double> scores) {
  std::vector<double> values;
  const std::vector<Index> cardinalities(graph.cardinalities().begin(),
                                         graph.cardinalities().end());
  Labelling labels(cardinalities.size(), 0);
  do {
    values.push_back(Score(graph, scores, labels));
  } while (NextJoint(cardinalities, labels));
  std::sort(values.rbegin(), values.rend());
  return values;
}

/// Chains of n variables with 3 states, whose pairs are added in irregular order.
TrainingSet ChainProblem(Index n) {
  auto layout = std::make_shared<WeightLayout>();
  const Index bias = layout->AddBlock("bias", 3);
  FactorGraphBuilder graph;
  for (Index i = 0; i < n; ++i) graph.AddVariable(3);
  for (Index i = n - 2; i >= 0; --i) graph.AddFactor({i, i + 1});
  StructureBuilder builder(graph.Build(), layout);
  const Index map = builder.AddStateMap(IdentityMap(3));
  for (Index i = 0; i < n; ++i) builder.AddConstant(i, bias, map);
  Dataset data(layout, std::make_shared<FeatureRows>());
  data.Add(builder.Build(), Labelling(n, 0));
  return MakeTrainingSet(data, {});
}

}  // namespace

TEST_CASE("chains and single variables give their best labellings") {
  Random random(1);
  for (const Index n : {1, 2, 4}) {
    const Problem problem(ChainProblem(n), 1);
    const auto sampler = MakeLabellingSampler(problem, SolverKind::kTree);
    for (int trial = 0; trial < 20; ++trial) {
      const ExampleView example = problem.data().example(0);
      const std::vector<double> scores = RandomScores(random, example.graph(), 1);
      const std::vector<double> all = AllScores(example.graph(), scores);
      std::vector<Labelling> found;
      sampler->Sample(0, example, scores, 7, &random, &found);
      REQUIRE(found.size() == std::min<std::size_t>(7, all.size()));
      for (std::size_t k = 0; k < found.size(); ++k)
        CHECK(Near(Score(example.graph(), scores, found[k]), all[k], kTight));
    }
  }
}

TEST_CASE("other graphs give perturbed maxima") {
  Random random(2);
  const Problem problem(RandomMultiLabelProblem(random, 1, 4, 2, true), 1);
  const auto sampler = MakeLabellingSampler(problem, SolverKind::kBruteForce);
  const ExampleView example = problem.data().example(0);
  const std::vector<double> scores = RandomScores(random, example.graph(), 1);
  const std::vector<double> all = AllScores(example.graph(), scores);
  std::vector<Labelling> found;
  sampler->Sample(0, example, scores, 200, &random, &found);
  REQUIRE(found.size() == 200);
  double mean = 0;
  for (const Labelling& labels : found) mean += Score(example.graph(), scores, labels) / 200;
  // Better than random labellings on average, and not always the best one.
  double chance = 0;
  for (const double score : all) chance += score / static_cast<double>(all.size());
  CHECK(mean > chance + 0.5 * (all[0] - chance));
  CHECK(mean < all[0] - 1e-3);
  std::vector<Labelling> again, replay;
  Random a(5), b(5);
  sampler->Sample(0, example, scores, 5, &a, &again);
  sampler->Sample(0, example, scores, 5, &b, &replay);
  CHECK(again == replay);
}

TEST_CASE("a request for no samples returns none") {
  Random random(3);
  const Problem problem(ChainProblem(2), 1);
  const auto sampler = MakeLabellingSampler(problem, SolverKind::kTree);
  std::vector<Labelling> found;
  const ExampleView example = problem.data().example(0);
  sampler->Sample(0, example, RandomScores(random, example.graph(), 1), 0, &random, &found);
  CHECK(found.empty());
}
