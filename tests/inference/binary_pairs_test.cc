// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/inference/binary_pairs.h>

#include <doctest/doctest.h>

#include <slackline/core/factor_graph_builder.h>
#include <slackline/inference/local_polytope.h>

#include "tests/support/random_models.h"
#include "tests/support/tolerances.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("only binary graphs with factors over one or two variables are accepted") {
  CHECK(IsBinaryPairwise(*FullBinary(0)));
  CHECK(IsBinaryPairwise(*FullBinary(5)));
  CHECK_FALSE(IsBinaryPairwise(*Cycle(3, 3)));
  FactorGraphBuilder builder;
  builder.AddVariables(3, 2);
  builder.AddFactor({0, 1, 2});
  CHECK_FALSE(IsBinaryPairwise(*builder.Build()));
  CHECK_THROWS_AS(BinaryPairs(*builder.Build()), std::invalid_argument);
}

TEST_CASE("for any x the pairs are feasible and optimal") {
  Random random(51);
  for (int number = 0; number < 100; ++number) {
    const GraphPtr graph = RandomBinaryPairs(random, 1 + number % 6, 9);
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    const bool half = number % 2 == 0;
    std::vector<double> x(graph->num_variables());
    for (double& value : x)
      value = half ? 0.5 * static_cast<double>(random.Below(3)) : random.Uniform();
    std::vector<double> mu(graph->total_states());
    const BinaryPairs form(*graph);
    form.Marginals(scores, x, mu);
    CHECK(PolytopeViolation(*graph, mu) <= (half ? 0.0 : kFeasible));
    const double value = MarginalsScore(scores, mu);
    for (int other = 0; other < 10; ++other) {
      std::vector<double> random_mu = mu;
      for (std::size_t k = x.size() * 2; k < mu.size(); ++k) random_mu[k] = random.Uniform();
      RepairToLocalPolytope(*graph, mu, random_mu);
      CHECK(MarginalsScore(scores, random_mu) <= value + kExact * graph->num_parts());
    }
  }
}

TEST_CASE("the dual objective at f is the bound of the messages made from f") {
  Random random(52);
  for (int number = 0; number < 100; ++number) {
    const GraphPtr graph = RandomBinaryPairs(random, 1 + number % 6, 9);
    const std::vector<double> scores = RandomScores(random, *graph, 1);
    const BinaryPairs form(*graph);
    const auto pairs = form.pairs();
    std::vector<double> u(graph->num_variables());
    std::vector<double> t(pairs.size());
    form.Coefficients(scores, u, t);
    double expected = test::LabellingScore(*graph, scores, std::vector<Index>(u.size(), 0));
    std::vector<double> f(pairs.size());
    for (std::size_t e = 0; e < f.size(); ++e) {
      f[e] = random.Uniform() * std::abs(t[e]);
      u[pairs[e].first] += t[e] > 0 ? f[e] : -f[e];
      u[pairs[e].second] += t[e] > 0 ? t[e] - f[e] : -f[e];
      if (t[e] < 0) expected += f[e];
    }
    for (const double r : u) expected += std::max(0.0, r);
    std::vector<double> messages(graph->total_messages(), 1e300);
    form.Messages(scores, f, messages);
    CHECK(Near(DualBound(*graph, scores, messages), expected, kExact));
  }
}
