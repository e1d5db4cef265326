// SPDX-License-Identifier: BSD-3-Clause
#include <slackline/learning/oracle/slack_oracle.h>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <slackline/core/check.h>
#include <slackline/core/feature_map.h>
#include <slackline/core/random.h>
#include <slackline/learning/problem.h>

#include "tests/support/agreement.h"
#include "tests/support/dense_qp.h"
#include "tests/support/global_problems.h"

using namespace slackline::internal;
using namespace slackline::internal::test;

TEST_CASE("the corner has the largest hinge of slack rescaling") {
  Random random(1);
  int positive = 0;
  for (int trial = 0; trial < 60; ++trial) {
    ProblemOptions shape = RandomOptions(random);
    shape.num_examples = 1;
    shape.forbidden = trial % 3 == 0;
    shape.loss = trial % 2 == 0 ? LossScale::kCount : LossScale::kMean;
    const Problem problem(RandomProblem(random, shape), 1);
    const ExampleView example = problem.data().example(0);
    std::vector<double> weights(problem.num_weights());
    for (double& w : weights) w = 2 * random.Uniform() - 1;
    const std::size_t size = example.structure().num_coordinates();
    std::vector<double> u(size), given(size);
    CoordinateScores(example, weights, u);
    AddLabellingFeatures(example, example.labels(), 1, given);

    SlackOracle oracle;
    SparseCorner corner;
    const double bound = oracle.Maximise(example, problem.loss(0), u, &corner);
    CornerScratch scratch = MakeCornerScratch(problem.data());
    ActiveSet set;
    set.Add(example, corner, &scratch);
    double given_score = 0;
    for (std::size_t k = 0; k < size; ++k) given_score += u[k] * given[k];
    const double score = set.Score(0, std::span(u).first(scratch.slot.size()), weights);
    CAPTURE(trial);
    CHECK(Near(score, bound, kTight));
    // The reference has its own enumeration of labellings.
    const double hinge =
        SlackRescaledPrimal(problem.training(), 1, weights) - Regulariser(1, weights);
    CHECK(Near(bound - given_score, hinge, kTight));
    positive += hinge > 1e-3 ? 1 : 0;
  }
  CHECK(positive > 30);
}

TEST_CASE(
    "labellings that global factors forbid are left out, and weights of global factors count") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    GlobalProblemOptions shape;
    shape.num_examples = 1;
    shape.exactly_one = seed % 2 == 0;
    shape.chain = seed % 3 == 0;
    const Problem problem(RandomGlobalProblem(seed, shape), 1);
    const ExampleView example = problem.data().example(0);
    Random random(seed);
    std::vector<double> weights(problem.num_weights());
    for (double& w : weights) w = 2 * random.Uniform() - 1;
    const std::size_t size = example.structure().num_coordinates();
    std::vector<double> u(size), truth(size);
    CoordinateScores(example, weights, u);
    AddLabellingFeatures(example, example.labels(), 1, truth);
    double score = 0;
    for (std::size_t k = 0; k < size; ++k) score += u[k] * truth[k];
    SlackOracle oracle;
    SparseCorner corner;
    const double bound = oracle.Maximise(example, problem.loss(0), u, &corner);
    const double hinge =
        SlackRescaledPrimal(problem.training(), 1, weights) - Regulariser(1, weights);
    CAPTURE(seed);
    CHECK(Near(bound - score, hinge, kTight));
  }
}

TEST_CASE("too many labellings are refused") {
  Random random(2);
  ProblemOptions shape;
  shape.num_examples = 1;
  shape.max_states = 2;
  shape.num_factors = 2;
  for (const Index variables : {12, 13}) {
    shape.num_variables = variables;
    const Problem problem(RandomProblem(random, shape), 1);
    const auto& structure = *problem.data().structures()[0];
    if (variables == 12) {
      CHECK_NOTHROW(SlackOracle::RequireEnumerable(structure));
    } else {
      CHECK_THROWS_WITH_AS(SlackOracle::RequireEnumerable(structure),
                           doctest::Contains("at most 4096; there are examples with more"),
                           DataError);
    }
  }
}
